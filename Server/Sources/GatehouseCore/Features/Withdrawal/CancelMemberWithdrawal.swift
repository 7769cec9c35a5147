import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Cancels the pending withdrawal of a member, for an operator.
package struct CancelMemberWithdrawal: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try change.origin.requireReason()
            let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
            _ = try WithdrawalRules.cancel(account, change, in: tx)
        }
    }
}
