package import GatehouseSecurity
package import GatehouseWire

/// How often a call may take effect. The door gives it with the run of an action, and ``Work`` applies it in the action's transaction.
package struct Once: Sendable {
    /// The call's idempotency key and its hash; without a key the call is not protected against repetition.
    package var call: Idempotency.Call?
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
}
