import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// One run of an action: the unit of work. It gives the action's transactions their context, applies ``Once`` in them, repeats them where
/// that is needed, and reports their events after the commit.
struct Work: Sendable {
    let services: Services
    let actor: Actor
    let once: Once
    let context: ActionContext

    var view: Viewpoint { context.view }
    var app: App { context.view.app }
    var moment: Moment { context.view.moment }

    // MARK: Transactions

    /// Runs a body that changes something, once for each idempotency key and each proof.
    ///
    /// - Parameters:
    ///   - isOftenFirst: whether the call is nearly always a first one. Then its stored outcome is looked for only after the body has
    ///     found that there is one.
    ///   - repeated: turns the stored outcome into the answer to a repeated call, or throws a refusal if it no longer holds.
    ///   - body: the engine may run it again, so it must have no effects except its writes and its events.
    func decide<Value: Codable & Sendable>(
        isOftenFirst: Bool = false,
        repeated: @escaping @Sendable (Value, Transaction) throws -> Value = { value, _ in value },
        _ body: @escaping @Sendable (Change, Hints, Transaction) throws -> Value
    ) async throws -> Value {
        try await perform(hints: Hints(looksFirst: !isOftenFirst)) { [services, once, moment] change, hints, tx in
            try services.idempotency.perform(once, looksFirst: hints.looksFirst, at: moment, in: tx) { value in
                try repeated(value, tx)
            } _: {
                try body(change, hints, tx)
            }
        }
    }

    /// Runs a change by the player of an access token, once for each idempotency key and each proof.
    ///
    /// - Parameters:
    ///   - leaving: whether the change is the player's withdrawal.
    ///   - repeated: turns the stored outcome into the answer to a repeated call. Without it the answer is the outcome itself, as long as
    ///     the session of the access token is valid.
    func decideForPlayer<Value: Codable & Sendable>(
        leaving: Bool = false, repeated: (@Sendable (Value, Transaction) throws -> Value)? = nil,
        _ body: @escaping @Sendable (Session, Account, Change, Hints, Transaction) throws -> Value
    ) async throws -> Value {
        let claims = try actor.requireClaims()
        return try await decide { [view] value, tx in
            if let repeated { return try repeated(value, tx) }
            _ = try SessionRules.session(of: claims, view, in: tx)
            return value
        } _: { [view] change, hints, tx in
            let (session, account) = try SessionRules.session(of: claims, view, leaving: leaving, in: tx)
            return try body(session, account, change, hints, tx)
        }
    }

    /// Runs a body whose outcome is not stored. The call's proof is used up.
    func perform<Value: Sendable>(
        hints: Hints = Hints(), _ body: @escaping @Sendable (Change, Hints, Transaction) throws -> Value
    ) async throws -> Value {
        try await untilDecided(hints) { hints in
            let (value, events) = try await services.database.write { [self] tx in
                let change = change()
                let value = try body(change, hints, tx)
                let events = change.events
                try once.useProof(changing: Set(events.compactMap(\.changedUser)), change, in: tx)
                return (value, events)
            }
            services.reporter.report(events, address: context.address, transactionID: context.transactionID)
            return value
        }
    }

    /// Runs a body that only reads, and that may find a member whose deadline has passed.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await untilDecided(Hints()) { _ in try await services.database.read(body) }
    }

    private func change() -> Change {
        Change(view, by: actor.origin, random: services.random, vault: services.vault)
    }

    // MARK: Events without a change

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

    // MARK: Once more

    /// What an attempt has taught for the next one.
    struct Hints: Sendable {
        /// The call may be a repeated one, so the stored outcome is looked for before the body runs.
        var looksFirst = true
        /// The credential was used before, so the first device to use it is looked for.
        var credentialWasUsed = false
    }

    /// The number of attempts that a call has, besides those that settle members' deadlines.
    private static let attempts = 4
    /// Upper bound on settlements per call: no call touches more members.
    private static let settlements = 2 * MembersOfCall.maximum

    /// Runs an attempt until it decides. A member whose deadline has passed first gets the due change, in a transaction of its own, so
    /// that a deadline takes effect at its moment, even if no node was running then.
    private func untilDecided<Value>(
        _ hints: Hints, _ attempt: (Hints) async throws -> Value
    ) async throws -> Value {
        var hints = hints
        var attempts = 0
        var settlements = 0
        while true {
            do {
                return try await attempt(hints)
            } catch let lapsed as LapsedMember {
                settlements += 1
                guard settlements <= Self.settlements else { throw StorageError.overloaded }
                try await services.settle(lapsed, at: moment)
            } catch let again as Again {
                attempts += 1
                guard attempts <= Self.attempts else { throw StorageError.overloaded }
                hints.learn(again)
            } catch is TransactionConflict {
                attempts += 1
                guard attempts <= Self.attempts else { throw StorageError.overloaded }
            }
        }
    }
}

/// Why an attempt has to be made once more, with another hint. The body's transaction is undone.
enum Again: Error, Sendable {
    /// The call was sent before.
    case repeatedCall
    /// The credential was used before, possibly by this device.
    case usedCredential
}

extension Work.Hints {
    fileprivate mutating func learn(_ again: Again) {
        switch again {
        case .repeatedCall: looksFirst = true
        case .usedCredential: credentialWasUsed = true
        }
    }
}
