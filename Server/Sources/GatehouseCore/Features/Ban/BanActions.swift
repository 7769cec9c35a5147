import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Bans members and ends their sessions, for a game server or an operator. The actor has a name and a reason.
package struct BanMembers: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.support

    let request: BanRequest
    /// Only checks the request, and changes nothing.
    var isTrial = false

    package init(request: BanRequest, isTrial: Bool = false) {
        self.request = request
        self.isTrial = isTrial
    }

    /// - Parameter end: nil for a permanent ban.
    package init(_ users: [UserID], until end: Moment?, template: Int? = nil, isTrial: Bool = false) {
        // Who bans, and why, is in the actor.
        let request = BanRequest(
            userIds: users, banType: end == nil ? .permanent : .temporary, endDate: end?.milliseconds,
            templateCode: template, reason: "", registeredBy: "")
        self.init(request: request, isTrial: isTrial)
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        let input = try BanRules.Input(
            type: request.banType, endsAt: request.endDate.map { Moment(milliseconds: $0) },
            templateCode: request.templateCode, flags: request.flags, at: work.moment)
        try BanRules.requireLimit(until: input.endsAt, as: work.actor.knownRole, at: work.moment)
        guard !isTrial else {
            let (origin, app) = (work.actor.origin, work.app.id)
            return try await work.read { tx in
                try BanRules.check(input, by: origin, app: app, in: tx)
                return MembersOutcome(failedUserIds: [])
            }
        }
        return try await work.changing(request.userIds) { change, tx in
            try BanRules.check(input, by: change.origin, app: change.app.id, in: tx)
        } _: { user, change, tx in
            try BanRules.ban(user, input, change, in: tx)
        }
    }
}

/// Releases members' bans before their end, for a game server or an operator. The actor has a name and a reason.
package struct ReleaseBans: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.support

    let users: [UserID]
    /// Only checks the request, and changes nothing.
    var isTrial = false

    package init(users: [UserID], isTrial: Bool = false) {
        self.users = users
        self.isTrial = isTrial
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        guard !isTrial else {
            try work.actor.origin.requireReason()
            return MembersOutcome(failedUserIds: [])
        }
        let role = work.actor.knownRole
        return try await work.changing(users) { user, change, tx in
            try BanRules.release(user, as: role, change, in: tx)
        }
    }
}

extension Work {
    /// Changes all members in one transaction, in a fixed order, so that two calls with the same members don't deadlock.
    ///
    /// - Parameter check: what is checked once for all of them.
    /// - Returns: the members for which the rule has returned false.
    fileprivate func changing(
        _ users: [UserID], _ check: @escaping @Sendable (Change, Transaction) throws -> Void = { _, _ in },
        _ rule: @escaping @Sendable (UserID, Change, Transaction) throws -> Bool
    ) async throws -> MembersOutcome {
        guard (1...MembersOfCall.maximum).contains(users.count) else {
            throw Refusal.parameter("userIds", "A call is about 1 to \(MembersOfCall.maximum) members.")
        }
        let sorted = Set(users).sorted { $0.rawValue < $1.rawValue }
        return MembersOutcome(
            failedUserIds: try await transactOnce { change, tx in
                try check(change, tx)
                return try sorted.filter { user in try !rule(user, change, tx) }
            })
    }
}

/// Registers a grace ban: the member can play until its deadline, and is then banned permanently unless it has met the condition.
package struct RegisterGraceBan: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.operator

    let request: GraceBanRequest

    package init(request: GraceBanRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> GraceBan {
        try await work.transactOnce { change, tx in try GraceBanRules.register(request, change, in: tx) }
    }
}

/// Counts a payment towards a member's grace ban.
package struct ReportPayment: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.operator

    let report: PaymentReport

    package init(report: PaymentReport) {
        self.report = report
    }

    package func perform(_ work: Work) async throws -> PaymentOutcome {
        try await work.transactOnce { change, tx in try GraceBanRules.pay(report, change, in: tx) }
    }
}
