import GatehouseStorage
import GatehouseWire
import Synchronization

/// Carries out what time brings: withdrawals, bans that end, grace bans, restore windows. Deletes what is over: spent proofs,
/// outcomes of idempotent calls, dead sessions, old tickets, keys and jobs. In small transactions, because every login of the
/// moment waits for each. Any number of nodes may sweep at once: what one has done the others don't find.
final class Sweeper: Sendable {
    static let intervalSeconds: Int64 = 30
    /// Ended sessions are kept this long, for the operator who looks into a complaint.
    static let endedSessionDays: Int64 = 30
    private static let rowsPerTransaction = 500
    /// Of a sweep, over sessions that may be idle.
    private static let idleTransactions = 20

    let accounts: AccountWriter
    let lifetimes: SessionLifetimes
    /// Told of a member whom a sweep could not settle.
    private let failed: @Sendable (LapsedMember, any Error) -> Void
    /// The session that the last look at idle ones has ended with.
    private let progress = Mutex<SessionID?>(nil)

    init(
        accounts: AccountWriter, lifetimes: SessionLifetimes,
        failed: @escaping @Sendable (LapsedMember, any Error) -> Void = { _, _ in }
    ) {
        self.accounts = accounts
        self.lifetimes = lifetimes
        self.failed = failed
    }

    /// Returns the number of rows that are gone.
    @discardableResult
    func sweep(at moment: Moment) async throws -> Int {
        let limit = Self.rowsPerTransaction
        // First what people wait for.
        let settled = try await settle(at: moment)
        // A proof that is accepted at this moment was issued at most this long ago; one minute more for its minute's end.
        let proofs = moment.adding(seconds: -(ProofVerifier.pastSeconds + 60))
        let calls = moment.adding(seconds: -Idempotency.lifetimeSeconds)
        let ended = moment.adding(seconds: -Self.endedSessionDays * 86_400)
        let created = moment.adding(seconds: -lifetimes.maximumSeconds)
        var rows = 0
        rows += try await repeatedly { tx in try ProofQueries.forget(before: proofs, limit: limit, in: tx) }
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
        let signals = moment.adding(seconds: -SignalRules.keptSeconds)
        rows += try await repeatedly { tx in try SignalRules.forget(before: signals, limit: limit, in: tx) }
        // Tokens of that time are over by themselves.
        let tokens = moment.adding(seconds: -lifetimes.accessTokenSeconds - RevocationRules.overlapSeconds)
        rows += try await repeatedly { tx in try RevocationRules.forget(before: tokens, limit: limit, in: tx) }
        let keys = moment.adding(seconds: -KeyRules.revokedKeyDays * 86_400)
        rows += try await repeatedly { tx in try KeyRules.forgetRevoked(before: keys, limit: limit, in: tx) }
        let hours = moment.adding(seconds: -86_400)
        rows += try await repeatedly { tx in try WrongTransfers.forget(before: hours, limit: limit, in: tx) }
        rows += try await deleteIdleSessions(at: moment)
        let jobs = moment.adding(seconds: -JobRules.keptDays * 86_400)
        rows += try await repeatedly { tx in try JobRules.forget(before: jobs, limit: limit, in: tx) }
        return rows + settled
    }

    /// Sessions that nobody has used for as long as they may rest. No index has their deadlines, which move with each use: so a
    /// sweep looks at the next few that are old enough, and begins anew at the end.
    private func deleteIdleSessions(at moment: Moment) async throws -> Int {
        let created = moment.adding(seconds: -lifetimes.idleSeconds)
        let deadline = moment.adding(seconds: -Self.endedSessionDays * 86_400)
        var deleted = 0
        for _ in 0..<Self.idleTransactions where !Task.isCancelled {
            let begin = progress.withLock { $0 }
            let part = try await accounts.database.write { tx in
                try SessionQueries.deleteIdle(
                    after: begin, createdBefore: created, idleBefore: deadline, limit: Self.rowsPerTransaction, in: tx)
            }
            deleted += part.deleted
            progress.withLock { $0 = part.last }
            if part.last == nil { break }
        }
        return deleted
    }

    /// Each member in a transaction of its own: one that can't be settled stays due, and holds up nobody behind it.
    private func settle(at moment: Moment) async throws -> Int {
        var count = 0
        var failures = 0
        while !Task.isCancelled {
            // Those that have failed wait longest, so they come first.
            let skipped = failures
            let due = try await accounts.database.read { tx in
                try MemberQueries.due(at: moment, skipped: skipped, limit: Self.rowsPerTransaction, in: tx)
            }
            var settled = 0
            for lapsed in due {
                do {
                    if try await accounts.settle(lapsed, at: moment) { settled += 1 }
                } catch let error where !Self.isOfDatabase(error) {
                    failures += 1
                    failed(lapsed, error)
                }
            }
            count += settled
            // Members that others have settled meanwhile are no reason to go on.
            if due.count < Self.rowsPerTransaction || settled == 0 && failures == skipped { break }
        }
        return count
    }

    /// Whether everybody behind would fail in the same way.
    private static func isOfDatabase(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: true
        case StorageError.unavailable, StorageError.overloaded, StorageError.broken, StorageError.diskFull,
            StorageError.closed:
            true
        default: false
        }
    }

    private func repeatedly(_ delete: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        var rows = 0
        while !Task.isCancelled {
            let deleted = try await accounts.database.write(delete)
            rows += deleted
            if deleted < Self.rowsPerTransaction { break }
        }
        return rows
    }
}
