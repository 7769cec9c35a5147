package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization

/// Makes the changes of members whose deadlines have passed: withdrawals, bans that end, grace bans, restore windows. It also deletes
/// expired rows: used proofs, outcomes of idempotent calls, ended sessions, old tickets, keys and jobs, and makes and drops the partitions
/// of PostgreSQL's divided tables. Its transactions are small,
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

    /// Returns the number of deleted rows, without those of dropped partitions.
    @discardableResult
    package func sweep(at moment: Moment) async throws -> Int {
        let limit = Self.rowsPerTransaction
        try await prepare(at: moment)
        try await services.secretUses.write(to: services.database)
        // Changes of members come first, because people wait for them.
        let settled = try await settle(at: moment)
        // A proof that is still accepted was issued at most this long ago. One minute is added because proofs are stored by minute.
        let proofs = moment.adding(seconds: -(ProofVerifier.pastSeconds + 60))
        let calls = moment.adding(seconds: -Idempotency.lifetimeSeconds)
        let ended = moment.adding(seconds: -Self.endedSessionDays * 86_400)
        let created = moment.adding(seconds: -lifetimes.maximumSeconds)
        var rows = 0
        rows += try await forget(.spentProofs, before: proofs) { tx in
            try ProofQueries.forget(before: proofs, limit: limit, in: tx)
        }
        rows += try await repeatedly { tx in try Idempotency.forget(before: calls, limit: limit, in: tx) }
        rows += try await repeatedly { tx in
            try SessionRules.deleteOver(endedBefore: ended, createdBefore: created, limit: limit, in: tx)
        }
        rows += try await repeatedly { tx in try TicketRules.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try TransferKeyRules.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try TransferAttempts.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try TransferRules.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try FormerIdentityQueries.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try CredentialUseRules.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try LoginAttemptRules.forget(before: moment, limit: limit, in: tx) }
        rows += try await repeatedly { tx in
            try OperatorSessionQueries.forget(before: moment, limit: limit, in: tx)
        }
        let signals = moment.adding(seconds: -SignalRules.keptSeconds)
        rows += try await repeatedly { tx in try SignalRules.forget(before: signals, limit: limit, in: tx) }
        // Tokens from before that time have expired.
        let tokens = moment.adding(seconds: -lifetimes.accessTokenSeconds - RevocationRules.overlapSeconds)
        rows += try await forget(.revocations, before: tokens) { tx in
            try RevocationRules.forget(before: tokens, limit: limit, in: tx)
        }
        let keys = moment.adding(seconds: -KeyRules.revokedKeyDays * 86_400)
        rows += try await repeatedly { tx in try KeyRules.forgetRevoked(before: keys, limit: limit, in: tx) }
        let hours = moment.adding(seconds: -86_400)
        rows += try await repeatedly { tx in try WrongTransfers.forget(before: hours, limit: limit, in: tx) }
        let counted = moment.adding(seconds: -CountQueries.hoursKeptSeconds)
        rows += try await repeatedly { tx in try CountQueries.forgetHours(before: counted, limit: limit, in: tx) }
        rows += try await deleteIdleSessions(at: moment)
        rows += try await deleteRefusals(at: moment)
        rows += try await deleteHistory(at: moment)
        let jobs = moment.adding(seconds: -JobRules.keptDays * 86_400)
        rows += try await repeatedly { tx in try JobRules.forget(before: jobs, limit: limit, in: tx) }
        return rows + settled
    }

    /// Deletes refused calls that are too old, and the oldest of each app that has too many. The rows of an app are counted only after
    /// this node has written many.
    private func deleteRefusals(at moment: Moment) async throws -> Int {
        let limit = Self.rowsPerTransaction
        var rows = try await repeatedly { tx in try RefusalRules.forget(before: moment, limit: limit, in: tx) }
        for app in services.refusals.takeGrown(by: RefusalRules.slack) {
            let last = try await services.database.report { tx in try RefusalRules.firstSurplus(of: app, in: tx) }
            guard let last else { continue }
            rows += try await repeatedly { tx in
                try RefusalRules.forget(upTo: last, of: app, limit: limit, in: tx)
            }
        }
        return rows
    }

    /// Deletes sessions whose idle deadline has passed. No index contains these deadlines, because they move with each use. So a sweep
    /// examines a limited number of sufficiently old sessions, and starts again at the beginning after the last.
    private func deleteIdleSessions(at moment: Moment) async throws -> Int {
        let created = moment.adding(seconds: -lifetimes.idleSeconds)
        let deadline = moment.adding(seconds: -Self.endedSessionDays * 86_400)
        return try await examining(progress) { begin, tx in
            try SessionQueries.deleteIdle(
                after: begin, createdBefore: created, idleBefore: deadline, limit: Self.rowsPerTransaction, in: tx)
        }
    }

    /// Deletes the entries of the ledger from before the months that are kept. No index has their times without their members, so a sweep
    /// examines a limited number of entries, and starts again at the beginning after the last.
    private func deleteHistory(at moment: Moment) async throws -> Int {
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
                    if try await services.settle(lapsed, at: moment) { count += 1 }
                } catch let error where !Self.isOfDatabase(error) {
                    failed(lapsed, error)
                }
            }
            if due.count < Self.rowsPerTransaction { break }
            last = due.last
        }
        return count
    }

    /// Whether all other members would fail in the same way.
    private static func isOfDatabase(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: true
        case StorageError.unavailable, StorageError.overloaded, StorageError.broken, StorageError.diskFull,
            StorageError.closed:
            true
        default: false
        }
    }

    /// Drops the partitions of a table with rows from before a moment only, or deletes the rows where it has none.
    private func forget(
        _ table: DividedTable, before moment: Moment, _ delete: @escaping @Sendable (Transaction) throws -> Int
    ) async throws -> Int {
        guard try await services.database.dropPartitions(of: table, before: moment.milliseconds) else { return 0 }
        return try await repeatedly(delete)
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
