import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
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

/// The durable audit log: moderation, administration and withdrawals, through any interface. Each record is written in the transaction
/// of the event. Players' actions are in the ledger, and refusals only in the log: neither adds a row here.
enum AuditRules {
    /// Appends a record of what an operator has done to the whole server, here and in the operators' audit. What rules do to apps and
    /// accounts is recorded by ``Change/record(_:of:in:)``.
    static func append(
        _ event: String, by origin: Origin, at moment: Moment, random: RandomSource, in tx: Draft
    ) throws {
        let id = TimeOrderedID.entry(at: moment, random: random)
        try AuditQueries.insert(
            AuditRecord(
                id: id, event: event, app: nil, user: nil, origin: origin, details: [:], date: moment.milliseconds),
            in: tx)
        let record = OperatorRecord(
            id: id, app: nil, person: OperatorID(""), personName: origin.name ?? "", role: nil, action: event,
            target: ActionTarget.server.text, reason: origin.reason ?? "", ticket: nil, before: nil, after: nil,
            transactionID: "", address: "", date: moment, door: origin.door)
        try OperatorRecordQueries.insert(record, once: id, in: tx)
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

    /// The records of one page of a list that is read to its end.
    static let pageSize = 500

    /// Where a list of all that has happened since a moment begins. A change has the time at which its call arrived, but is stored later,
    /// so changes up to ten minutes older are included.
    static func beginning(ofListSince moment: Moment) -> String {
        beginning(at: moment.adding(seconds: -600))
    }
}

/// Reads a page of the audit log in chronological order.
package struct ListAuditRecords: ServerAction {
    /// Where the page begins.
    private let place: String

    /// The records since a moment. Records up to ten minutes older may be included.
    package init(since moment: Moment) {
        place = AuditRules.beginning(ofListSince: moment)
    }

    /// - Parameter place: where the previous page has ended.
    package init(after place: String) {
        self.place = place
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> (records: [AuditRecord], next: String?) {
        let records = try await services.database.report { tx in
            try AuditRules.records(after: place, limit: AuditRules.pageSize, in: tx)
        }
        return (records, records.count < AuditRules.pageSize ? nil : records.last?.id)
    }
}

/// Records in the audit log what an operator has done to the whole server.
package struct RecordServerEvent: ServerAction {
    let event: String

    package init(event: String) {
        self.event = event
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        let random = services.random
        try await services.database.transact { tx in
            try AuditRules.append(event, by: actor.origin, at: moment, random: random, in: tx)
        }
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
