import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reports the changes whose audit lines were lost: when a server crashed between a commit and its line, or could not write the line.
///
/// Each process stores the moment until which it has written every line, and deletes it when it stops in order. A row of the node's name
/// that is there at a start, or any row that has become old, is that of a process that has crashed: the changes since then are reported
/// again, from the ledger and from the audit log. So are those of a process that could not write a line. A line may then be there twice,
/// with the same `auditId`.
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
    /// The key of this process's row. Two running nodes may have one name, as containers with one host name have, and each needs a row
    /// of its own.
    private let key: String
    /// The number of lines that could not be written.
    private let lostLines: @Sendable () -> Int

    package init(services: Services, node: String, lostLines: @escaping @Sendable () -> Int = { 0 }) {
        self.services = services
        self.node = node
        self.lostLines = lostLines
        key = AuditProgressQueries.key(of: node, process: Base64URL.encode(services.random.bytes(6)))
    }

    /// What a process knows of its lines.
    package struct Progress: Sendable {
        /// Whether the rows of former processes of this node were looked for.
        package fileprivate(set) var hasStarted = false
        fileprivate var lostLines = 0

        package init() {}
    }

    /// Reports what crashed nodes have not, and what this one could not write; then stores that every line until now has been written.
    ///
    /// - Returns: the number of lines that were reported again.
    @discardableResult
    package func follow(_ progress: inout Progress, at moment: Moment) async throws -> Int {
        let lost = lostLines()
        let count = try await recover(
            at: moment, isStart: !progress.hasStarted, hasLostLines: lost != progress.lostLines)
        progress.lostLines = lost
        // Lines that were lost again are reported by the next call, which begins at the same place.
        guard lostLines() == lost else { return count }
        try await advance(to: moment)
        progress.hasStarted = true
        return count
    }

    /// Reports what crashed nodes have not, and returns the number of lines.
    ///
    /// - Parameters:
    ///   - isStart: whether this node has just started, so that a row of its name is that of a former process.
    ///   - hasLostLines: whether this node could not write all its lines.
    @discardableResult
    package func recover(at moment: Moment, isStart: Bool, hasLostLines: Bool = false) async throws -> Int {
        let oldest = moment.adding(seconds: -Self.lostAfterSeconds)
        let untold = try await services.database.read { tx in try AuditProgressQueries.nodes(in: tx) }
            .filter { row in
                if row.key == key { return hasLostLines }
                return row.toldUntil < oldest || isStart && row.node == node
            }
        guard let begin = untold.map(\.toldUntil).min() else { return 0 }
        let lost = lostLines()
        let events = try await changes(since: begin.adding(seconds: -Self.marginSeconds))
        services.reporter.report(events)
        guard lostLines() == lost else { return events.count }
        try await services.database.transact { tx in
            // A running node of this name has advanced its row meanwhile, or does so soon.
            for row in untold { try AuditProgressQueries.delete(row.key, toldUntil: row.toldUntil, in: tx) }
        }
        return events.count
    }

    /// Stores that every line until now has been written.
    package func advance(to moment: Moment) async throws {
        try await services.database.transact { [key] tx in
            try AuditProgressQueries.set(key, toldUntil: moment, in: tx)
        }
    }

    /// Stores that the node has stopped in order. The row stays if lines were lost, and the next start reports them.
    package func stop(_ progress: Progress = Progress()) async throws {
        guard lostLines() == progress.lostLines else { return }
        try await services.database.transact { [key] tx in try AuditProgressQueries.delete(key, in: tx) }
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

/// Table `audit_progress`. A row's key is the node's name, and the process of the node.
enum AuditProgressQueries {
    struct Row: Sendable {
        let key: String
        let toldUntil: Moment

        /// The node's name, which neither a host's name nor a port can make ambiguous.
        var node: String { key.parts(at: " ", atMost: 2).first.map(String.init) ?? key }
    }

    static func key(of node: String, process: String) -> String { "\(node) \(process)" }

    static func nodes(in tx: Reader) throws -> [Row] {
        try tx.rows("SELECT node, told_until FROM audit_progress ORDER BY node") { row in
            Row(key: try row[0], toldUntil: try row[1])
        }
    }

    static func set(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO audit_progress (node, told_until) VALUES (\(key), \(moment))
            ON CONFLICT (node) DO UPDATE SET told_until = excluded.told_until
            """)
    }

    static func delete(_ key: String, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(key)")
    }

    /// Deletes a row that has not advanced since it was read.
    static func delete(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(key) AND told_until = \(moment)")
    }
}
