import GatehouseStorage

// The one retry loop: what an attempt has shown to be in its way is removed, and the next attempt is made.
extension Work {
    /// What the failed attempts have shown for the next one.
    struct Hints: Sendable {
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
        _ hints: Hints, _ attempt: (Hints) async throws -> (value: Value, told: Told)
    ) async throws -> Value {
        var hints = hints
        for number in 0..<Self.attempts {
            // A call of many members may need many attempts, and nobody waits for them once its client has gone. The first attempt is
            // made in any case: what a call has done outside of the database, as to use up a code at a provider, must have its effect.
            if number > 0 { try Task.checkCancellation() }
            do {
                let (value, told) = try await attempt(hints)
                services.report(told, address: context.address, transactionID: context.transactionID)
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
    private func prepare(_ hints: inout Hints, after error: any Error) async throws {
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
