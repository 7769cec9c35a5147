import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
public import GatehouseWire

/// One row of the durable audit log. It contains ids, the event and the actor, but no secrets and nothing personal of players: an
/// operator's reason, which may name a person, is in the member's ledger. Of operators it has the names, and where they were.
public struct AuditRecord: Sendable, Hashable {
    /// Ids sort in chronological order.
    public let id: String
    /// The event's name in the audit lines of the log, such as `member.withdrawn`.
    public let event: String
    /// Nil for an event that concerns the whole server.
    public let app: AppID?
    /// Nil for an event that concerns a whole app.
    public let user: UserID?
    /// The actor and the interface. It has no reason.
    public let origin: Origin
    public let details: [String: String]
    /// Milliseconds since 1970, UTC.
    public let date: Int64

    /// One line of JSON in the form of the log's audit lines, plus the id.
    public var line: String {
        get throws { try JSONText.sorted(Line(self)) }
    }

    /// The names of the members in the log.
    private struct Line: Encodable {
        let time: Int64
        let audit: String
        let auditId: String
        let actor: String
        let door: String
        let by: String?
        let appId: String?
        let userId: String?
        let details: [String: String]?

        init(_ record: AuditRecord) {
            time = record.date
            audit = record.event
            auditId = record.id
            actor = record.origin.actor.rawValue
            door = record.origin.door.rawValue
            by = record.origin.name
            appId = record.app?.rawValue
            userId = record.user?.rawValue
            details = record.details.isEmpty ? nil : record.details
        }
    }
}
