import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Removes an identity from a member, for an operator.
package struct RemoveMemberMapping: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let user: UserID

    package init(_ provider: Provider, of user: UserID) {
        self.provider = provider
        self.user = user
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try MappingRules.remove(provider, of: user, change, in: tx) }
    }
}

/// Moves an identity from one member to another, for an operator.
package struct MoveMemberMapping: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let holder: UserID
    let user: UserID

    package init(_ provider: Provider, from holder: UserID, to user: UserID) {
        self.provider = provider
        self.holder = holder
        self.user = user
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try MappingRules.move(provider, from: holder, to: user, change, in: tx)
        }
    }
}

/// Says what the move of an identity would do, or refuses it as the move would be.
package struct PreviewMappingMove: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let holder: UserID
    let user: UserID

    package init(_ provider: Provider, from holder: UserID, to user: UserID) {
        self.provider = provider
        self.holder = holder
        self.user = user
    }

    package struct Outcome: Sendable, Hashable {
        /// Whether the member loses its last identity.
        package let freezes: Bool
        /// Whether the other member is a guest, whose identity of the device ends.
        package let endsGuest: Bool
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (app, moment) = (work.app.id, work.moment)
        return try await work.read { tx in
            guard holder != user else { throw Refusal.parameter("to", "An identity moves to another member.") }
            guard let found = try MemberQueries.account(holder, app: app, in: tx),
                let target = try MemberQueries.account(user, app: app, in: tx)
            else { throw Refusal(.authNotExistMember) }
            let other = try MemberRules.current(found, at: moment, in: tx)
            let account = try MemberRules.current(target, at: moment, in: tx)
            try MappingRules.requireMovable(provider, from: other, to: account, at: moment)
            return Outcome(freezes: other.mappings.count == 1, endsGuest: account.isPureGuest)
        }
    }
}
