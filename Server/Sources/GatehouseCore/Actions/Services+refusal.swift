package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
package import Logging
import Synchronization

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

/// A failure of the database, as doors see it.
package struct DatabaseFailure: Sendable {
    /// The refusal that a caller receives.
    package let refusal: Refusal
    /// The name of the failure's kind in metrics.
    package let kind: String

    /// Whether the database does not answer at all.
    package var isOutage: Bool { refusal.reason == .databaseUnavailable }

    /// Nil for an error that does not come from the database.
    package init?(_ error: any Error) {
        guard let error = error as? StorageError else { return nil }
        refusal = error.refusal
        kind =
            switch error {
            case .unavailable: "unavailable"
            case .broken: "broken"
            case .overloaded: "overloaded"
            case .conflict: "conflict"
            case .diskFull: "disk_full"
            case .closed: "closed"
            default: "other"
            }
    }
}

extension StorageError {
    /// The refusal that a caller receives for a failure of the database.
    var refusal: Refusal {
        switch self {
        case .overloaded, .conflict: .overloaded
        case .unavailable, .broken, .closed, .diskFull:
            Refusal(
                .serverInternalError, "The database can't serve right now.", reason: .databaseUnavailable,
                httpStatus: 503, retryAfterSeconds: 2)
        default:
            Refusal(.serverInternalError, "The server could not do it.")
        }
    }
}

/// Since when the database does not answer, as far as the calls of this process have shown it.
package final class DatabaseOutage: Sendable {
    /// After this time without a failure another one begins a new outage, in case nobody has noted that the database has answered.
    private static let pauseSeconds: Int64 = 180

    private struct State {
        let since: Moment
        var last: Moment
    }

    private let state = Mutex<State?>(nil)

    func noteFailure(at moment: Moment) {
        state.withLock { state in
            if let known = state, moment < known.last.adding(seconds: Self.pauseSeconds) {
                state?.last = moment
            } else {
                state = State(since: moment, last: moment)
            }
        }
    }

    func noteAnswer() { state.withLock { $0 = nil } }

    /// Nil if the database has answered since the last failure, or has not failed.
    package var since: Moment? { state.withLock { $0?.since } }
}
