package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reports the changes whose audit lines were lost when a server crashed between a commit and its line.
///
/// Each node stores the moment until which it has written every line, and deletes it when it stops in order. A row that is there at a
/// start, or that has become old, is that of a node that has crashed: the changes since then are reported again, from the ledger and
/// from the audit log. A line may then be there twice, with the same `auditId`.
package struct AuditRecovery: Sendable {
    package static let intervalSeconds: Int64 = 5
    /// A node whose row is older than this has crashed.
    static let lostAfterSeconds: Int64 = 60
    /// A change has the time at which its call arrived, but commits later.
    private static let marginSeconds: Int64 = 30
    private static let pageSize = 500

    let services: Services
    /// The name of this node, which it keeps over restarts.
    let node: String

    package init(services: Services, node: String) {
        self.services = services
        self.node = node
    }

    /// Reports what crashed nodes have not, and returns the number of lines.
    ///
    /// - Parameter isStart: whether this node has just started, so that a row of its own is that of its former process.
    @discardableResult
    package func recover(at moment: Moment, isStart: Bool) async throws -> Int {
        let oldest = moment.adding(seconds: -Self.lostAfterSeconds)
        let crashed = try await services.database.read { tx in try AuditProgressQueries.nodes(in: tx) }
            .filter { $0.node == node ? isStart : $0.toldUntil < oldest }
        guard let begin = crashed.map(\.toldUntil).min() else { return 0 }
        let events = try await changes(since: begin.adding(seconds: -Self.marginSeconds))
        services.reporter.report(events)
        try await services.database.transact { tx in
            for row in crashed { try AuditProgressQueries.delete(row.node, in: tx) }
        }
        return events.count
    }

    /// Stores that every line until now has been written.
    package func advance(to moment: Moment) async throws {
        try await services.database.transact { [node] tx in
            try AuditProgressQueries.set(node, toldUntil: moment, in: tx)
        }
    }

    /// Stores that the node has stopped in order.
    package func stop() async throws {
        try await services.database.transact { [node] tx in try AuditProgressQueries.delete(node, in: tx) }
    }

    /// The changes that calls have made since a moment, in chronological order.
    private func changes(since begin: Moment) async throws -> [RecordedEvent] {
        var events: [String: RecordedEvent] = [:]
        var place = AuditRules.beginning(at: begin)
        while true {
            let page = try await services.database.read { [place] tx in
                try AuditRules.records(after: place, limit: Self.pageSize, in: tx)
            }
            // What commands have done is reported by ``AuditFollower``.
            for record in page where record.origin.door != .command { events[record.id] = RecordedEvent(record) }
            guard page.count == Self.pageSize, let last = page.last else { break }
            place = last.id
        }
        let changed = try await services.database.read { tx in try ProofQueries.changed(since: begin, in: tx) }
        for (app, users) in changed {
            for user in users {
                let entries = try await services.database.read { tx in
                    try LedgerQueries.entries(of: user, app: app, in: tx)
                }
                for entry in entries where entry.date >= begin.milliseconds && entry.origin.door != .command {
                    events[entry.id] = RecordedEvent(entry, app: app)
                }
            }
        }
        return events.values.sorted { $0.id < $1.id }
    }
}

extension RecordedEvent {
    fileprivate init(_ entry: LedgerEntry, app: AppID) {
        self.init(
            id: entry.id, name: entry.event, app: app, user: entry.user, origin: entry.origin, details: entry.details,
            loggedDetails: ["recovered": "true"], moment: Moment(milliseconds: entry.date))
    }

    fileprivate init(_ record: AuditRecord) {
        self.init(
            id: record.id, name: EventName(record.event), app: record.app, user: record.user, origin: record.origin,
            details: record.details, loggedDetails: ["recovered": "true"], moment: Moment(milliseconds: record.date))
    }
}

/// Table `audit_progress`.
enum AuditProgressQueries {
    static func nodes(in tx: Reader) throws -> [(node: String, toldUntil: Moment)] {
        try tx.rows("SELECT node, told_until FROM audit_progress ORDER BY node") { row in (try row[0], try row[1]) }
    }

    static func set(_ node: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO audit_progress (node, told_until) VALUES (\(node), \(moment))
            ON CONFLICT (node) DO UPDATE SET told_until = excluded.told_until
            """)
    }

    static func delete(_ node: String, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(node)")
    }
}
