import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Deletes a member's transfer account and its transfer keys, for an operator: nobody can move to another device with them any more.
package struct VoidTransferAccount: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID

    package init(user: UserID) {
        self.user = user
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
