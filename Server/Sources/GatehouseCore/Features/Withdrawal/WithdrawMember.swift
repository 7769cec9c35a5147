import GatehouseSecurity
import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Withdraws a member at once, for a game server or an operator.
package struct WithdrawMember: OperatorAction {
    package static let permission = Permission.serve(.erase)
    package static let about = OperatorActionAbout("member.withdrawn", role: .operator, step: .typed)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        report.member.status == .withdrawn ? nil : .danger
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard try view.account(of: user, in: tx).status != .withdrawn else {
            throw ImpossibleAction(phrase: "problem.gone", parameter: "user")
        }
        var preview = Preview(
            Phrase("withdraw.title", ["user": .user(user)]),
            ["withdraw.what", "withdraw.identities", "withdraw.id"], undo: "withdraw.undo")
        preview.isDangerous = true
        preview.typed = String(user.rawValue.suffix(4))
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try change.origin.requireName()
            try WithdrawalRules.now(user, change, in: tx)
        }
    }
}
