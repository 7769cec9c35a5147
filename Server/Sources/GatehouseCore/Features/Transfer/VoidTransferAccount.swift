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

    package var subject: DeedTarget { .member(user) }

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
            guard try TransferRules.void(user, change, in: tx) else { throw Refusal(.authTransferAccountNotExist) }
        }
    }
}
