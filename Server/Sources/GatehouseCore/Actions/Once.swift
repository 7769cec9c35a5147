package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// How often a call may take effect. The door gives it with the run of an action, and ``Work`` applies it in the action's transaction.
package struct Once: Sendable {
    /// The call's idempotency key and its hash; without a key the call is not protected against repetition.
    var call: Idempotency.Call?
    /// The owner of the idempotency key.
    package var owner: Idempotency.Owner?
    /// The proof that the call uses up, and the code for one that was used before.
    package var proof: (proof: Proof, refused: ErrorCode)?

    package init(
        call: Idempotency.Call? = nil, owner: Idempotency.Owner? = nil, proof: (proof: Proof, refused: ErrorCode)? = nil
    ) {
        self.call = call
        self.owner = owner
        self.proof = proof
    }

    /// The call may take effect each time that it is sent.
    static let never = Once()

    /// Claims the proof in the action's transaction, so that a proof changes something only once over all nodes. It is the last step of
    /// a body: a body that first reads and then only writes can share a transaction with others.
    ///
    /// The proof's row also names the changed members, for ``AuditRecovery``. A change without a proof gets such a row if the audit log
    /// has no record of it.
    func useProof(_ change: Change, in tx: Draft) throws {
        let changes = change.events.filter { $0.changedUser != nil }
        let users = Set(changes.compactMap(\.changedUser))
        if let (proof, code) = proof {
            try ProofQueries.spend(
                proof, changing: users, in: change.app.id,
                else: ProofFailure.replayed.refusal(code, at: change.moment), in: tx)
        } else if let first = changes.first(where: { $0.event?.isAudited == false }), change.origin.door != .command {
            try ProofQueries.note(first.id, changing: users, in: change.app.id, at: change.moment, in: tx)
        }
    }
}
