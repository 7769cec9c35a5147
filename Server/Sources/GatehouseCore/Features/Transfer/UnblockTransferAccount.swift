import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Resets the failed attempts of a member's transfer account. A block of the device that has tried ends by itself.
package struct UnblockTransferAccount: OperatorAction {
    package static let about = OperatorActionAbout("transfer.unblocked", role: .support, step: .confirmed)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let account = try TransferQueries.account(of: user, app: view.app, in: tx)
        guard let count = account?.failedAttempts, count > 0 else {
            throw ImpossibleAction(phrase: "problem.not-blocked", parameter: "user")
        }
        return Preview(
            Phrase("transfer-unblock.title", ["user": .user(user)]),
            [Phrase("transfer-unblock.what", ["count": .count(count)]), "transfer-unblock.device"],
            undo: "transfer-unblock.undo")
    }

    /// False when no attempt had failed.
    package func perform(_ work: Work) async throws -> Bool {
        try await work.transact { change, tx in try TransferRules.unblock(user, change, in: tx) }
    }
}
