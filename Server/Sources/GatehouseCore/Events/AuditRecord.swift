import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
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
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(Line(self)), as: UTF8.self)
        }
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

/// The durable audit log: moderation, administration and withdrawals, through any interface. Each record is written in the transaction
/// of the event. Players' actions are in the ledger, and refusals only in the log: neither adds a row here.
enum AuditRules {
    /// Appends a record of an event that concerns the whole server. What rules do to apps and accounts is recorded by
    /// ``Change/record(_:of:in:)``.
    static func append(
        _ event: String, by origin: Origin, at moment: Moment, random: RandomSource, in tx: Draft
    ) throws {
        try AuditQueries.insert(
            AuditRecord(
                id: TimeOrderedID.entry(at: moment, random: random), event: event, app: nil, user: nil, origin: origin,
                details: [:], date: moment.milliseconds), in: tx)
    }

    /// A page of records in chronological order.
    ///
    /// - Parameter end: the moment before which they were; nil for all.
    static func records(
        after id: String, before end: Moment? = nil, by door: Origin.Door? = nil, limit: Int, in tx: Reader
    ) throws -> [AuditRecord] {
        try AuditQueries.records(after: id, before: end.map(beginning(at:)), by: door, limit: limit, in: tx)
    }

    /// A bound below the ids of all records at this moment or later.
    static func beginning(at moment: Moment) -> String {
        TimeOrderedID.firstSession(at: moment).rawValue
    }
}

/// Table `audit_log`, which is append-only: no statement changes or deletes a record.
enum AuditQueries {
    static func insert(_ record: AuditRecord, in tx: Draft) throws {
        let details = record.details.isEmpty ? nil : try JSONText.write(record.details)
        try tx.insert(
            into: "audit_log",
            [
                "audit_id": record.id, "app_id": record.app, "user_id": record.user, "event": record.event,
                "actor": record.origin.actor.rawValue, "door": record.origin.door.rawValue,
                "acted_by": record.origin.name, "details": details, "happened_at": record.date,
            ])
    }

    static func isThere(_ id: String, in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM audit_log WHERE audit_id = \(id)") { _ in true } ?? false
    }

    /// The records, oldest first.
    ///
    /// - Parameters:
    ///   - id: continues after this record.
    ///   - end: a bound above the ids.
    static func records(
        after id: String, before end: String? = nil, by door: Origin.Door? = nil, limit: Int, in tx: Reader
    ) throws -> [AuditRecord] {
        let condition: SQL = if let door { "AND door = \(door.rawValue)" } else { "" }
        let last: SQL = if let end { "AND audit_id < \(end)" } else { "" }
        return try tx.rows(
            """
            SELECT audit_id, app_id, user_id, event, actor, door, acted_by, details, happened_at FROM audit_log
            WHERE audit_id > \(id) \(last) \(condition) ORDER BY audit_id LIMIT \(limit)
            """
        ) { row in
            let details: String? = try row[7]
            return AuditRecord(
                id: try row[0], event: try row[3], app: try row[1], user: try row[2],
                origin: Origin(
                    actor: ActorKind(rawValue: try row[4]) ?? .system,
                    door: Origin.Door(rawValue: try row[5]) ?? .clock, name: try row[6]),
                details: try details.map { try JSONText.read($0) } ?? [:], date: try row[8])
        }
    }
}
