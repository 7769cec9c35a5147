import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// One run of an action: the unit of work. It gives the action's transactions their context, applies ``CallIdentity`` in them, repeats them where
/// that is needed (``untilDone(_:_:)``), and reports their events after the commit.
///
/// A class, because a call that waits has it in each of its frames, and it is a kilobyte.
package final class Work: Sendable {
    let services: Services
    let actor: Actor
    let once: CallIdentity
    let context: CallContext
    /// What sees each of the action's changes. A player's work has none.
    let observer: (any ChangeObserver)?

    init(
        services: Services, actor: Actor, once: CallIdentity, context: CallContext,
        observer: (any ChangeObserver)? = nil
    ) {
        self.services = services
        self.actor = actor
        self.once = once
        self.context = context
        self.observer = observer
    }

    var app: App { context.app }
    var moment: Moment { context.moment }

    /// The same work for a transaction beside the one that uses up the proof.
    var withoutProof: Work {
        var once = once
        once.proof = nil
        return Work(services: services, actor: actor, once: once, context: context)
    }

    /// Runs a body that reads and decides, and then only writes (``Database/decide(_:)``). The call's proof is used up.
    ///
    /// - Parameters:
    ///   - once: makes a call with an idempotency key safe to repeat. Without it each call takes effect.
    ///   - body: it may run again, so it must have no effects except its writes and its events.
    func decide<Value: Sendable>(
        once: Once<Value, Draft>? = nil, _ body: @escaping @Sendable (Change, Draft) throws -> Value
    ) async throws -> Value {
        try await untilDone(RetryHints(looksFirst: once?.looksFirst ?? true)) { hints in
            try await services.database.decide { [self] tx in try attempt(hints, once, body, tx) }
        }
    }

    /// Runs a body in a transaction of its own (``Database/transact(_:)``). The rest is as with ``decide(once:_:)``.
    func transact<Value: Sendable>(
        once: Once<Value, Transaction>? = nil, _ body: @escaping @Sendable (Change, Transaction) throws -> Value
    ) async throws -> Value {
        try await untilDone(RetryHints(looksFirst: once?.looksFirst ?? true)) { hints in
            try await services.database.transact { [self] tx in try attempt(hints, once, body, tx) }
        }
    }

    /// The answer to a call that was made before with its idempotency key; nil for a first call. Without a key it costs nothing.
    func answerAgain<Value: Codable & Sendable>(_ repeated: Once<Value, Draft>) async throws -> Value? {
        guard once.call?.key != nil else { return nil }
        let stored = try await services.database.read { [self] tx -> Value? in
            try services.idempotency.outcome(of: once, in: tx)
        }
        guard stored != nil else { return nil }
        // The outcome expires after an hour, so it can be gone by now only for a call that comes too late anyway.
        return try await decide(once: repeated) { _, _ in throw StorageError.conflict }
    }

    /// Runs a body that only reads, and that may find a member whose deadline has passed.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        try await settling { try await services.database.read(body) }
    }

    /// Runs a body like ``read(_:)``, on a connection for reports.
    func report<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        try await settling { try await services.database.report(body) }
    }

    /// Reads again after each due change that has been in the way.
    private func settling<Value>(_ read: () async throws -> Value) async throws -> Value {
        for _ in 0..<Self.attempts {
            do {
                return try await read()
            } catch AttemptFailure.unsettled(let member) {
                try await services.settle(member, at: moment)
                try Task.checkCancellation()
            }
        }
        throw StorageError.conflict
    }

    private func attempt<Value: Sendable, Verb: Draft>(
        _ hints: RetryHints, _ once: Once<Value, Verb>?, _ body: (Change, Verb) throws -> Value, _ tx: Verb
    ) throws -> (value: Value, pending: PendingEvents) {
        var change = Change(context, by: actor.origin, random: services.random, vault: services.vault)
        change.credentialWasUsed = hints.credentialWasUsed
        func run() throws -> Value {
            guard let once else { return try body(change, tx) }
            return try once.run(self, hints.looksFirst, tx) { try body(change, tx) }
        }
        let value =
            if let observer {
                try observer.observing(in: tx) { (value: try run(), change: change) }.value
            } else {
                try run()
            }
        try useProof(change, in: tx)
        return (value, change.pending)
    }

    /// Claims the proof in the action's transaction, so that a proof changes something only once over all nodes. It is the last step of
    /// a body: a body that first reads and then only writes can share a transaction with others.
    ///
    /// The proof's row also names the changed members, for ``AuditRecovery``. A change without a proof gets such a row if the audit log
    /// has no record of it.
    private func useProof(_ change: Change, in tx: Draft) throws {
        let changes = change.events.filter { $0.changedUser != nil }
        let users = Set(changes.compactMap(\.changedUser))
        if let (proof, code) = once.proof {
            try ProofQueries.spend(
                proof, changing: users, in: change.app.id,
                else: ProofFailure.replayed.refusal(code, at: change.moment), in: tx)
        } else if let first = changes.first(where: { $0.event?.isAudited == false }), change.origin.door != .command {
            try ProofQueries.note(first.id, changing: users, in: change.app.id, at: change.moment, in: tx)
        }
    }

    /// The session and the account of the player of an access token.
    ///
    /// - Parameters:
    ///   - settling: whether a due change of the member is made first. A call that changes nothing of the member does without.
    ///   - leaving: whether the change is the player's withdrawal.
    func player(
        settling: Bool = true, leaving: Bool = false, in tx: Reader
    ) throws -> (session: Session, account: Account) {
        try SessionRules.session(of: actor.requireClaims(), context, settling: settling, leaving: leaving, in: tx)
    }
}

/// How a change takes effect once for each idempotency key. A call without a key takes effect each time.
struct Once<Value: Sendable, Verb: Draft>: Sendable {
    fileprivate let looksFirst: Bool
    fileprivate let run: @Sendable (Work, _ looksFirst: Bool, Verb, _ body: () throws -> Value) throws -> Value
}

extension Once where Value: Codable {
    /// A repeated call gets the stored outcome. A player's session must be valid for that.
    static var replayed: Once {
        Once(looksFirst: true) { value, work, tx in
            if case .player = work.actor.principal { _ = try work.player(in: tx) }
            return value
        }
    }

    /// A repeated call gets an answer that is made of the stored outcome.
    ///
    /// - Parameters:
    ///   - isOftenFirst: whether the call is nearly always a first one. Then its stored outcome is looked for only after the body has
    ///     found that there is one.
    ///   - repeated: makes the answer, or throws a refusal if the outcome no longer holds. It checks the session itself.
    static func answered(
        isOftenFirst: Bool = false, _ repeated: @escaping @Sendable (Value, Verb) throws -> Value
    ) -> Once {
        Once(looksFirst: !isOftenFirst) { value, _, tx in try repeated(value, tx) }
    }

    private init(looksFirst: Bool, repeated: @escaping @Sendable (Value, Work, Verb) throws -> Value) {
        self.looksFirst = looksFirst
        run = { work, looksFirst, tx, body in
            try work.services.idempotency.perform(work.once, looksFirst: looksFirst, at: work.moment, in: tx) {
                try repeated($0, work, tx)
            } _: {
                try body()
            }
        }
    }
}

// The retry loop of changes: what an attempt has shown to be in its way is removed, and the next attempt is made.
extension Work {
    /// What the failed attempts have shown for the next one.
    struct RetryHints: Sendable {
        /// The call may be a repeated one, so the stored outcome is looked for before the body runs.
        var looksFirst = true
        /// The credential was used before, so the first device to use it is looked for.
        var credentialWasUsed = false
    }

    /// Upper bound on attempts per call. Each failed attempt has removed its cause, and a call for many members may find due changes of
    /// each. The database repeats a transaction that has lost against another by itself.
    private static let attempts = 2 * MembersOfCall.maximum

    /// Runs an attempt until it is done, and reports its events.
    func untilDone<Value>(
        _ hints: RetryHints, _ attempt: (RetryHints) async throws -> (value: Value, pending: PendingEvents)
    ) async throws -> Value {
        var hints = hints
        for number in 0..<Self.attempts {
            // A call of many members may need many attempts, and nobody waits for them once its client has gone. The first attempt is
            // made in any case: what a call has done outside of the database, as to use up a code at a provider, must have its effect.
            if number > 0 { try Task.checkCancellation() }
            do {
                let (value, pending) = try await attempt(hints)
                services.report(pending, address: context.address, transactionID: context.transactionID)
                return value
            } catch {
                try await prepare(&hints, after: error)
            }
        }
        throw StorageError.conflict
    }

    /// Removes the cause of a failed attempt, or throws the error again when there is none to remove.
    ///
    /// An attempt that has assumed too much violates a constraint, whose name says what the next one has to look at. A member whose
    /// deadline has passed gets the due change in a transaction of its own, so that a deadline takes effect at its moment, even if no
    /// node was running then.
    private func prepare(_ hints: inout RetryHints, after error: any Error) async throws {
        switch error {
        case AttemptFailure.unsettled(let member):
            // As of the call's moment, by which the attempts judge deadlines. With a later one the due change would come after the call
            // in the member's history, and a deadline that passes during the call would be counted against it.
            try await services.settle(member, at: moment)
        case let error as StorageError where error.violates(Idempotency.key):
            hints.looksFirst = true
        case let error as StorageError where error.violates(KnownCredentials.key):
            hints.credentialWasUsed = true
        default:
            throw error
        }
    }
}

/// An attempt of a transaction has failed for a reason that ``Work`` can remove before the next attempt.
enum AttemptFailure: Error {
    /// The member's due change must be made first.
    case unsettled(LapsedMember)
}

// What is told of a call that changes nothing.
extension Work {
    /// Reports something that leaves the account as it is, and therefore has no row.
    func report(_ event: AccountEvent, of user: UserID) {
        let recorded = RecordedEvent(
            id: "", name: event.name, app: app.id, user: user, origin: actor.origin, details: event.details,
            loggedDetails: event.loggedDetails, moment: moment, event: event)
        services.reporter.report([recorded], address: context.address, transactionID: context.transactionID)
    }

    /// Writes an audit line about something that has not succeeded, or that concerns no account.
    func note(_ event: String, _ subject: [String: String]) {
        services.reporter.audit.record(
            AuditLog.Entry(
                event: event, app: app.id, actor: actor.origin.actor, address: context.address.description,
                transactionID: context.transactionID, subject: subject))
    }
}

/// The bound on members that one call of a game server is about.
package enum MembersOfCall {
    static let maximum = 300

    package static func check<Name>(_ names: [Name]) throws {
        guard names.count <= maximum else {
            throw Refusal(.invalidParameter, "A call names at most \(maximum).", httpStatus: 413)
        }
    }

    /// The distinct names in their original order.
    static func distinct<Name: Hashable>(_ names: [Name]) throws -> [Name] {
        try check(names)
        var seen = Set<Name>(minimumCapacity: names.count)
        return names.filter { seen.insert($0).inserted }
    }
}

extension Work {
    /// Changes all members in one transaction, in a fixed order, so that two calls with the same members don't deadlock.
    ///
    /// - Parameter check: what is checked once for all of them.
    /// - Returns: the members for which the rule has returned false.
    func changing(
        _ users: [UserID], _ check: @escaping @Sendable (Change, Transaction) throws -> Void = { _, _ in },
        _ rule: @escaping @Sendable (UserID, Change, Transaction) throws -> Bool
    ) async throws -> MembersOutcome {
        guard (1...MembersOfCall.maximum).contains(users.count) else {
            throw Refusal.parameter("userIds", "A call is about 1 to \(MembersOfCall.maximum) members.")
        }
        let sorted = Set(users).sorted { $0.rawValue < $1.rawValue }
        return MembersOutcome(
            failedUserIds: try await transact(once: .replayed) { change, tx in
                try check(change, tx)
                return try sorted.filter { user in try !rule(user, change, tx) }
            })
    }
}
