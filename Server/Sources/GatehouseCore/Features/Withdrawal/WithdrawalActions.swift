import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Withdraws the caller's member at once.
package struct Withdraw: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transactForPlayer(leaving: true) { done, _ in
            // The repeated call has ended its own session, so there is no session to check.
            done
        } _: { _, account, change, tx in
            try WithdrawalRules.withdraw(account, change, in: tx)
            return Empty()
        }
    }
}

/// Begins the grace period after which the caller's member is withdrawn.
package struct RequestWithdrawal: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> MemberChange {
        try await work.memberChange(
            try await work.decideForPlayer { _, account, change, tx in
                try WithdrawalRules.request(account, change, in: tx)
            })
    }
}

/// Cancels the pending withdrawal of the caller's member.
package struct CancelWithdrawal: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> MemberChange {
        try await work.memberChange(
            try await work.decideForPlayer { _, account, change, tx in
                try WithdrawalRules.cancel(account, change, in: tx)
            })
    }
}

extension Work {
    fileprivate func memberChange(_ member: Member) async throws -> MemberChange {
        MemberChange(
            member: member,
            standing: StandingRules.standing(of: member, status: try await launchingStatus(), view),
            serverDate: moment.milliseconds)
    }
}
