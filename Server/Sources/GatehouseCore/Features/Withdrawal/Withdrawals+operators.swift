import GatehouseSecurity
import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Withdraws a member at once, for a game server or an operator.
package struct WithdrawMember: OperatorAction {
    package static let permission = Permission.serve(.erase)
    package static let about = OperatorActionAbout("member.withdrawn", role: .operator, step: .typed)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        report.member.status == .withdrawn ? nil : .danger
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard try context.account(of: user, in: tx).status != .withdrawn else {
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

/// Cancels the pending withdrawal of a member, for an operator.
package struct CancelMemberWithdrawal: OperatorAction {
    package static let about = OperatorActionAbout("withdrawal.cancelled", role: .support, step: .confirmed)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID) {
        self.user = user
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        report.member.status == .pendingWithdrawal ? .primary : nil
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let account = try context.account(of: user, in: tx)
        guard let end = try MemberRules.member(account, in: tx).temporaryWithdrawal?.gracePeriodDate else {
            throw ImpossibleAction(phrase: "problem.no-withdrawal", parameter: "user")
        }
        let moment = Moment(milliseconds: end)
        return Preview(
            Phrase("withdrawal-cancel.title", ["user": .user(user)]),
            [
                Phrase("withdrawal-cancel.what", ["end": .moment(moment), "left": .distance(moment)]),
                "withdrawal-cancel.login",
            ], undo: "withdrawal-cancel.undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try change.origin.requireReason()
            let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
            _ = try WithdrawalRules.cancel(account, change, in: tx)
        }
    }
}
