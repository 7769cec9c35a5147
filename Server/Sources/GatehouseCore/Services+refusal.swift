package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
package import Logging

/// An error that says itself what a caller is told.
package protocol RefusalCarrying: Error {
    var refusal: Refusal { get }
}

extension Services {
    /// What a caller is told of an error, whatever the door: a code of the table, a fitting status, nothing internal. What an operator has
    /// to know is counted and logged. This is the only place that maps errors.
    ///
    /// - Parameter httpStatus: the status that the HTTP framework gives the error; nil for one that is not the framework's.
    package func refusal(
        for error: any Error, httpStatus: Int?, transactionID: TransactionID, logger: Logger
    ) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case let failure as any RefusalCarrying: return failure.refusal
        case is CancellationError:
            // Nobody reads this response. The status is the one that proxies log for it.
            return Refusal(.serverInternalError, "The client has closed the connection.", httpStatus: 499)
        default: break
        }
        if httpStatus == 404 { return Refusal(.notSupported, "There is no such path.") }
        if let httpStatus, (400...499).contains(httpStatus) {
            return Refusal(.invalidParameter, httpStatus: httpStatus)
        }
        let metadata: Logger.Metadata = ["error": "\(error)", "transactionId": "\(transactionID)"]
        if let failure = DatabaseFailure(error) {
            reporter.countDatabaseFailure(failure)
            if failure.isOutage { outage.noteFailure(at: environment.now()) }
            logger.error("database", metadata: metadata)
            return failure.refusal
        }
        logger.error("unforeseen", metadata: metadata)
        return Refusal(.serverInternalError, "The server could not do it.")
    }
}
