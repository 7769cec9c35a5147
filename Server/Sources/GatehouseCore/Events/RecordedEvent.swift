import GatehouseSecurity
import GatehouseWire

/// An event with its actor and its time, as the audit lines and the metrics need it after the commit.
struct RecordedEvent: Sendable, Hashable {
    /// The id of the event's row in the ledger and in the audit log.
    let id: String
    let name: EventName
    /// Nil for an event that concerns the whole server.
    let app: AppID?
    /// Nil for an event that concerns a whole app.
    let user: UserID?
    let origin: Origin
    let details: [String: String]
    var loggedDetails: [String: String] = [:]
    let moment: Moment
    /// Nil for an operator's event, which changes no account.
    var event: AccountEvent?

    /// Whether it has a record in the audit log.
    var isAudited: Bool { event?.isAudited ?? true }
    /// The member whose account the event has changed.
    var changedUser: UserID? { event?.changesAccount == true ? user : nil }
}

extension LedgerEntry {
    init(_ event: RecordedEvent, of user: UserID) {
        self.init(
            id: event.id, user: user, event: event.name, origin: event.origin, details: event.details,
            date: event.moment.milliseconds)
    }
}

extension AuditRecord {
    init(_ event: RecordedEvent) {
        // An operator's reason may name a person, so it is only in the member's ledger.
        var origin = event.origin
        origin.reason = nil
        self.init(
            id: event.id, event: event.name.rawValue, app: event.app, user: event.user, origin: origin,
            details: event.details, date: event.moment.milliseconds)
    }
}
