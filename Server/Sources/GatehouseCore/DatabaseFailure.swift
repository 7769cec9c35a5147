package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
