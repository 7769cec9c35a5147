import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
