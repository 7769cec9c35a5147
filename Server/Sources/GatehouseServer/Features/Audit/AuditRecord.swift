import Foundation
public import GatehouseWire

/// One row of the durable audit log. It holds ids and names of what was done and by whom, no secret, and nothing personal: an
/// operator's reason, which may name a person, is in the ledger of the member.
public struct AuditRecord: Sendable, Hashable {
    /// Ids are in the order of time.
    public let id: String
    /// As the audit lines of the log name it, such as `member.withdrawn`.
    public let event: String
    /// Nil for what concerns the whole server.
    public let app: AppID?
    /// Nil for what concerns a whole app.
    public let user: UserID?
    /// Who did it and by which door. It has no reason.
    public let origin: Origin
    public let details: [String: String]
    /// Milliseconds since 1970, UTC.
    public let date: Int64

    /// One line of JSON in the form of the log's audit lines, with its id beside it.
    public var line: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(Line(self)), as: UTF8.self)
        }
    }

    /// The log's names of what is told.
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
