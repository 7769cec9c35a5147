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
    /// Changes are gone through by pieces of time, so that a piece fits into memory, and what was written of an outage is not written again.
    private static let pieceSeconds: Int64 = 60
    /// While lines are lost, so many calls at most are left out before the next one that tries.
    private static let mostPauses = 11
    /// So many lines are handed over before the log has written them. More would fill its queue, which drops what has no room.
    private static let linesPerFlush = 500

    let services: Services
    /// The name of this node, which it keeps over restarts.
    let node: String
    /// The key of this process's row. Two running nodes may have one name, as containers with one host name have, and each needs a row
    /// of its own.
    private let key: String
    /// The number of lines that could not be written.
    private let lostLines: @Sendable () -> Int
    /// Waits a short time until the lines that were handed to the log before are written or lost; false if some are still waiting.
    private let flush: @Sendable () async -> Bool

    package init(
        services: Services, node: String, lostLines: @escaping @Sendable () -> Int = { 0 },
        flush: @escaping @Sendable () async -> Bool = { true }
    ) {
        self.services = services
        self.node = node
        self.lostLines = lostLines
        self.flush = flush
        key = AuditProgressQueries.key(of: node, process: Base64URL.encode(services.random.bytes(6)))
    }

    /// What a process knows of its lines.
    package struct Progress: Sendable {
        /// Whether the rows of former processes of this node were looked for.
        package fileprivate(set) var hasStarted = false
        /// The moment of which this process has stored that its lines until then are written.
        fileprivate var toldUntil: Moment?
        fileprivate var lostLines = 0
        /// How many calls were left out before the last one, and how many of the next are.
        fileprivate var pauses = (last: 0, next: 0)

        package init() {}
    }

    /// Reports what crashed nodes have not, and what this one could not write; then stores that every line until now has been written.
    ///
    /// While lines are still lost, most calls do nothing: each would read the same changes only to lose the first line again.
    ///
    /// - Returns: the number of lines that were reported again.
    @discardableResult
    package func follow(_ progress: inout Progress, at moment: Moment) async throws -> Int {
        guard progress.pauses.next == 0 else {
            progress.pauses.next -= 1
            return 0
        }
        let lost = lostLines()
        let hasLostLines = lost != progress.lostLines
        // The first call comes before any change of this process. Later another node takes over the row if it is a minute old; what is
        // lost after that is still this process's to report.
        if !progress.hasStarted || hasLostLines { try await keep(since: progress.toldUntil ?? moment) }
        let (count, isWhole) = try await report(
            at: moment, isStart: !progress.hasStarted, hasLostLines: hasLostLines)
        if isWhole { progress.lostLines = lost }
        // Lines that were lost again, or still wait, are left to a later call, which begins where this one has come to.
        guard isWhole, await isWritten(since: lost) else {
            // What this process had lost is reported, and its row is gone with that. What waits now needs one.
            if isWhole, hasLostLines { try await keep(since: moment) }
            let pauses = min(2 * progress.pauses.last + 1, Self.mostPauses)
            progress.pauses = (pauses, pauses)
            return count
        }
        progress.pauses = (0, 0)
        try await advance(to: moment)
        progress.toldUntil = moment
        progress.hasStarted = true
        return count
    }

    /// Reports what crashed nodes have not, and returns the number of lines.
    @discardableResult
    package func recover(at moment: Moment, isStart: Bool) async throws -> Int {
        try await report(at: moment, isStart: isStart, hasLostLines: false).count
    }

    /// Whether the log has written all lines until now, given how many it had lost before.
    private func isWritten(since lost: Int) async -> Bool {
        guard await flush() else { return false }
        return lostLines() == lost
    }

    /// Reports what crashed nodes have not. It ends at the first line that is lost, or when the log does not write, and stores how far it
    /// has come.
    ///
    /// - Parameters:
    ///   - isStart: whether this node has just started, so that a row of its name is that of a former process.
    ///   - hasLostLines: whether this node could not write all its lines.
    /// - Returns: the number of lines, and whether there are no more.
    private func report(
        at moment: Moment, isStart: Bool, hasLostLines: Bool
    ) async throws -> (count: Int, isWhole: Bool) {
        let oldest = moment.adding(seconds: -Self.lostAfterSeconds)
        var untold = try await services.database.read { tx in try AuditProgressQueries.nodes(in: tx) }
            .filter { row in
                if row.key == key { return hasLostLines }
                return row.toldUntil < oldest || isStart && row.node == node
            }
        guard let told = untold.map(\.toldUntil).min() else { return (0, true) }
        let lost = lostLines()
        var count = 0
        var begin: Moment? = told.adding(seconds: -Self.marginSeconds)
        while let piece = begin {
            let end = piece.adding(seconds: Self.pieceSeconds)
            // Changes from before this moment may still commit.
            let reached = end.adding(seconds: Self.marginSeconds)
            let isLast = reached >= moment
            let events = try await changes(since: piece, until: isLast ? nil : end)
            for event in events {
                services.reporter.report([event])
                guard lostLines() == lost else { return (count, false) }
                count += 1
                if count.isMultiple(of: Self.linesPerFlush), await !isWritten(since: lost) { return (count, false) }
            }
            // What is stored below must not name a line that is only in the log's queue.
            guard await isWritten(since: lost) else { return (count, false) }
            if isLast { break }
            if !events.isEmpty { untold = try await store(reached, for: untold) }
            begin = try await nextChange(since: end)
        }
        let rows = untold
        try await services.database.transact { tx in
            // A running node of this name has advanced its row meanwhile, or does so soon.
            for row in rows { try AuditProgressQueries.delete(row.key, toldUntil: row.toldUntil, in: tx) }
        }
        return (count, true)
    }

    /// Stores that the lines of some rows have been written until a moment.
    ///
    /// - Returns: the rows as they are then, without those that their own processes have advanced meanwhile.
    private func store(
        _ moment: Moment, for rows: [AuditProgressQueries.Row]
    ) async throws -> [AuditProgressQueries.Row] {
        try await services.database.transact { tx in
            try rows.compactMap { row in
                guard row.toldUntil < moment else { return row }
                let isStored = try AuditProgressQueries.move(row.key, from: row.toldUntil, to: moment, in: tx)
                return isStored ? AuditProgressQueries.Row(key: row.key, toldUntil: moment) : nil
            }
        }
    }

    /// Stores that every line until now has been written.
    package func advance(to moment: Moment) async throws {
        try await services.database.transact { [key] tx in
            try AuditProgressQueries.set(key, toldUntil: moment, in: tx)
        }
    }

    /// Stores that the lines since a moment may not have been written, unless the row says so already.
    private func keep(since moment: Moment) async throws {
        try await services.database.transact { [key] tx in
            try AuditProgressQueries.add(key, toldUntil: moment, in: tx)
        }
    }

    /// Stores that the node has stopped in order. The row stays if lines were lost or still wait, and the next start reports them.
    package func stop(_ progress: Progress = Progress()) async throws {
        guard await isWritten(since: progress.lostLines) else {
            if let moment = progress.toldUntil { try await keep(since: moment) }
            return
        }
        try await services.database.transact { [key] tx in try AuditProgressQueries.delete(key, in: tx) }
    }

    /// The changes that calls have made since a moment, in chronological order.
    ///
    /// - Parameter end: the moment before which they were made; nil for all.
    private func changes(since begin: Moment, until end: Moment?) async throws -> [RecordedEvent] {
        var events: [String: RecordedEvent] = [:]
        var place = AuditRules.beginning(at: begin)
        while true {
            let page = try await services.database.read { [place] tx in
                try AuditRules.records(after: place, before: end, limit: Self.pageSize, in: tx)
            }
            // What commands have done is reported by ``AuditFollower``.
            for record in page where record.origin.door != .command { events[record.id] = RecordedEvent(record) }
            guard page.count == Self.pageSize, let last = page.last else { break }
            place = last.id
        }
        let changed = try await services.database.read { tx in
            try ProofQueries.changed(since: begin, until: end, in: tx)
        }
        for (app, users) in changed {
            for user in users {
                let entries = try await services.database.read { tx in
                    try LedgerQueries.entries(
                        of: user, app: app, before: nil, since: begin, until: end, limit: .max, in: tx)
                }
                for entry in entries where entry.origin.door != .command {
                    events[entry.id] = RecordedEvent(entry, app: app)
                }
            }
        }
        return events.values.sorted { $0.id < $1.id }
    }

    /// A moment since which no change was made before, at or after this one; nil if no change was made since. A node may have been down
    /// for months, in which nothing has happened.
    private func nextChange(since moment: Moment) async throws -> Moment? {
        try await services.database.read { tx in
            let record = try AuditRules.records(
                after: AuditRules.beginning(at: moment), before: nil, limit: 1, in: tx
            ).first
            let next = [record.map { Moment(milliseconds: $0.date) }, try ProofQueries.first(since: moment, in: tx)]
            return next.compactMap { $0 }.min().map { max($0, moment) }
        }
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

    /// Adds a row; one that is there stays as it is.
    static func add(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO audit_progress (node, told_until) VALUES (\(key), \(moment))
            ON CONFLICT (node) DO NOTHING
            """)
    }

    static func delete(_ key: String, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(key)")
    }

    /// Advances the row of another process; false when it has advanced itself since it was read.
    static func move(_ key: String, from old: Moment, to new: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            "UPDATE audit_progress SET told_until = \(new) WHERE node = \(key) AND told_until = \(old)") == 1
    }

    /// Deletes a row that has not advanced since it was read.
    static func delete(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(key) AND told_until = \(moment)")
    }
}
