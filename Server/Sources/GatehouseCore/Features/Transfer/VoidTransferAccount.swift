import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Deletes a member's transfer account and its transfer keys, for an operator: nobody can move to another device with them any more.
package struct VoidTransferAccount: OperatorAction {
    package static let about = OperatorActionAbout("transfer.voided", role: .support, step: .fresh)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package init(user: UserID) {
        self.user = user
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard try TransferQueries.account(of: user, app: view.app, in: tx) != nil else {
            throw ImpossibleAction(phrase: "transfer.none", parameter: "user")
        }
        var preview = Preview(
            Phrase("transfer-void.title", ["user": .user(user)]), ["transfer-void.what", "transfer-void.keeps"],
            undo: "transfer-void.undo")
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try change.origin.requireReason()
            _ = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
            guard try TransferQueries.account(of: user, app: change.app.id, in: tx) != nil else {
                throw Refusal(.authTransferAccountNotExist)
            }
            try TransferRules.deleteAll(of: user, app: change.app.id, in: tx)
            try change.record(.transferVoided, of: user, in: tx)
        }
    }
}
