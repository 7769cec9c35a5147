package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization

/// Makes the changes of members whose deadlines have passed: withdrawals, bans that end, grace bans, restore windows. It also deletes
/// rows that are over (``Expiry``), and makes and drops the partitions of PostgreSQL's divided tables. Its transactions are small,
/// because every concurrent login waits for them. Any number of nodes may sweep at the same time, because one doesn't find what another
/// has done.
package final class Sweeper: Sendable {
    package static let intervalSeconds: Int64 = 30
    /// Ended sessions are kept this long, for an operator who investigates a complaint.
    static let endedSessionDays: Int64 = 30
    private static let rowsPerTransaction = 500
    /// The number of transactions in one sweep for idle sessions, and for old entries of the ledger.
    private static let examinedTransactions = 20

    package let services: Services
    /// How many whole months of the ledger are kept besides the current one; 0 for all.
    private let historyMonths: Int
    /// Receives a member for which a sweep could not make the due change.
    private let failed: @Sendable (LapsedMember, any Error) -> Void
    /// The last session that the previous sweep for idle ones has examined.
    private let progress = Mutex<SessionID?>(nil)
    /// The last entry of the ledger that the previous sweep has examined.
    private let historyProgress = Mutex<LedgerQueries.Key?>(nil)

    package init(
        services: Services, historyMonths: Int = 0,
        failed: @escaping @Sendable (LapsedMember, any Error) -> Void = { _, _ in }
    ) {
        self.services = services
        self.historyMonths = historyMonths
        self.failed = failed
    }

    private var lifetimes: SessionLifetimes { services.issuer.lifetimes }

    /// Makes the partitions that the rows of the next periods need. A server does so before it serves, and in each sweep.
    package func prepare(at moment: Moment) async throws {
        try await services.database.makePartitions(at: moment.milliseconds)
    }

    /// Makes the changes that are due, and deletes what is over. Each step is for itself: one that fails is tried again by the next
    /// sweep, and stops no other.
    ///
    /// - Returns: the number of members that were changed and of rows that were deleted, without those of dropped partitions.
    /// - Throws: ``SweepFailure`` at the end, if steps have failed; another error at once if the database can't be reached.
    @discardableResult
    package func sweep() async throws -> Int {
        var rows = 0
        var failures: [SweepFailure.Step] = []
        for step in steps {
            try Task.checkCancellation()
            do {
                rows += try await step.run(services.environment.now())
            } catch  where Self.isOutage(error) {
                throw error
            } catch {
                failures.append(.init(name: step.name, error: error))
            }
        }
        guard failures.isEmpty else { throw SweepFailure(steps: failures) }
        return rows
    }

    private struct Step {
        /// What operators read if it fails.
        let name: String
        /// Receives the moment at which it begins.
        let run: @Sendable (Moment) async throws -> Int

        init(_ name: String, _ run: @escaping @Sendable (Moment) async throws -> Int) {
            self.name = name
            self.run = run
        }
    }

    /// Everything that a sweep does, in its order. Changes of members come first, because people wait for them.
    private var steps: [Step] {
        [
            Step("partitions") { [self] now in
                try await prepare(at: now)
                return 0
            },
            Step("uses of secret keys") { [self] _ in
                try await services.secretUses.write(to: services.database)
                return 0
            },
            Step("due changes of members") { [self] now in try await settle(at: now) },
        ]
            + Expiry.all(lifetimes).map { expiry in
                Step(expiry.name) { [self] now in try await delete(expiry, at: now) }
            }
    }

    private func delete(_ expiry: Expiry, at moment: Moment) async throws -> Int {
        switch expiry.deletion {
        case .byHand(let delete): return try await delete(self, moment)
        case .byTime(let expired):
            if let table = expired.divided {
                let end = expired.end(at: moment).milliseconds
                guard try await services.database.dropPartitions(of: table, before: end) else { return 0 }
            }
            return try await repeatedly { tx in
                try expired.delete(at: moment, limit: Self.rowsPerTransaction, in: tx)
            }
        }
    }

    /// Deletes the oldest refused calls of each app that has too many. The rows of an app are counted only after this node has written
    /// many.
    func deleteSurplusRefusals() async throws -> Int {
        var rows = 0
        for app in services.refusals.takeGrown(by: RefusalRules.slack) {
            for areStrangers in [true, false] {
                let last = try await services.database.report { tx in
                    try RefusalRules.firstSurplus(of: app, areStrangers: areStrangers, in: tx)
                }
                guard let last else { continue }
                rows += try await repeatedly { tx in
                    try RefusalQueries.deleteAll(
                        of: app, areStrangers: areStrangers, upTo: last, limit: Self.rowsPerTransaction, in: tx)
                }
            }
        }
        return rows
    }

    /// Deletes sessions whose idle deadline has passed. No index contains these deadlines, because they move with each use. So a sweep
    /// examines a limited number of sufficiently old sessions, and starts again at the beginning after the last.
    func deleteIdleSessions(at moment: Moment) async throws -> Int {
        let created = moment.adding(seconds: -lifetimes.idleSeconds)
        let deadline = moment.adding(seconds: -Self.endedSessionDays * 86_400)
        return try await examining(progress) { begin, tx in
            try SessionQueries.deleteIdle(
                after: begin, createdBefore: created, idleBefore: deadline, limit: Self.rowsPerTransaction, in: tx)
        }
    }

    /// Deletes the entries of the ledger from before the months that are kept. No index has their times without their members, so a sweep
    /// examines a limited number of entries, and starts again at the beginning after the last.
    func deleteHistory(at moment: Moment) async throws -> Int {
        guard historyMonths > 0 else { return 0 }
        let kept = DividedTable.ledger.beginning(of: historyMonths, before: moment.milliseconds)
        guard try await services.database.dropPartitions(of: .ledger, before: kept) else { return 0 }
        return try await examining(historyProgress) { begin, tx in
            try LedgerQueries.forget(
                after: begin, before: Moment(milliseconds: kept), limit: Self.rowsPerTransaction, in: tx)
        }
    }

    /// Looks at the next rows of a table in some transactions, from where the sweep before has stopped.
    ///
    /// - Parameter delete: deletes what is old among the rows after the given one, and returns the last that it has looked at; nil at the
    ///   end of the table.
    private func examining<Key: Sendable>(
        _ progress: borrowing Mutex<Key?>,
        _ delete: @escaping @Sendable (_ begin: Key?, Transaction) throws -> (deleted: Int, last: Key?)
    ) async throws -> Int {
        var deleted = 0
        for _ in 0..<Self.examinedTransactions where !Task.isCancelled {
            let begin = progress.withLock { $0 }
            let part = try await services.database.transact { tx in try delete(begin, tx) }
            deleted += part.deleted
            progress.withLock { $0 = part.last }
            if part.last == nil { break }
        }
        return deleted
    }

    /// Each member has a separate transaction, so that one whose change fails stays due but does not block the others.
    private func settle(at moment: Moment) async throws -> Int {
        var count = 0
        var last: MemberQueries.Due?
        while !Task.isCancelled {
            // Each page begins after the page before, so a member that has failed is not found again in this sweep.
            let after = last
            let due = try await services.database.read { tx in
                try MemberQueries.due(at: moment, after: after, limit: Self.rowsPerTransaction, in: tx)
            }
            for lapsed in due.map(\.member) {
                do {
                    // The change has the moment of its writing, because the revocations that it writes are listed by their moment:
                    // a game server that has read the list of a later one would never be told of them.
                    if try await services.settle(lapsed, at: services.environment.now()) { count += 1 }
                } catch let error where !Self.isOutage(error) && !Self.isOverloaded(error) {
                    failed(lapsed, error)
                }
            }
            if due.count < Self.rowsPerTransaction { break }
            last = due.last
        }
        return count
    }

    /// Whether everything else would fail in the same way.
    private static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, StorageError.unavailable, StorageError.broken, StorageError.closed: true
        default: false
        }
    }

    /// Whether the next member would probably fail in the same way, after as long a wait.
    private static func isOverloaded(_ error: any Error) -> Bool {
        switch error {
        case StorageError.overloaded, StorageError.diskFull: true
        default: false
        }
    }

    private func repeatedly(_ delete: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        var rows = 0
        while !Task.isCancelled {
            let deleted = try await services.database.transact(delete)
            rows += deleted
            if deleted < Self.rowsPerTransaction { break }
        }
        return rows
    }
}

/// The steps of a sweep that have failed. The others are done.
package struct SweepFailure: Error, CustomStringConvertible {
    package struct Step: Sendable {
        package let name: String
        package let error: any Error
    }

    package let steps: [Step]

    package var description: String { steps.map { "\($0.name): \($0.error)" }.joined(separator: "; ") }
}
