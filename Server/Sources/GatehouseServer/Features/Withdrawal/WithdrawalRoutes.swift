import GatehouseStorage
import GatehouseWire

/// Withdrawal, at once or after a grace period.
struct WithdrawalRoutes: Sendable {
    let accounts: AccountWriter
    let audit: AuditLog

    func withdraw(_ call: Call<Empty>) async throws -> Answer<Empty> {
        let user = try call.caller.requireClaims().user
        _ = try await accounts.transact(call, leaving: true) { (done: Empty, _) in
            // The repeated call has ended its own session, so there is no session to check.
            done
        } _: { (session, account, change, tx) -> Empty in
            try WithdrawalRules.withdraw(account, change, in: tx)
            return Empty()
        }
        audit.record(call.entry("member.withdrawn", subject: ["userId": user.rawValue]))
        return Answer(Empty())
    }

    func request(_ call: Call<Empty>) async throws -> Answer<MemberChange> {
        let member = try await accounts.decide(call) { (_, account, change, tx) in
            try WithdrawalRules.request(account, change, in: tx)
        }
        var subject = ["userId": member.userId.rawValue]
        subject["endDate"] = member.temporaryWithdrawal.map { String($0.gracePeriodDate) }
        audit.record(call.entry("withdrawal.requested", subject: subject))
        return try await answer(member, call)
    }

    func cancel(_ call: Call<Empty>) async throws -> Answer<MemberChange> {
        let member = try await accounts.decide(call) { (_, account, change, tx) in
            try WithdrawalRules.cancel(account, change, in: tx)
        }
        audit.record(call.entry("withdrawal.cancelled", subject: ["userId": member.userId.rawValue]))
        return try await answer(member, call)
    }

    /// A game server withdraws a member at once.
    func withdraw(_ user: UserID, _ call: Call<Empty>, by name: String) async throws {
        _ = try await accounts.transact(call, by: name) { change, tx -> Empty in
            try change.origin.requireName()
            try WithdrawalRules.now(user, change, in: tx)
            return Empty()
        }
        audit.record(call.entry("member.withdrawn", subject: ["userId": user.rawValue, "by": name]))
    }

    private func answer(_ member: Member, _ call: Call<Empty>) async throws -> Answer<MemberChange> {
        let device = call.caller.proof?.key
        let status = try await LaunchingRules.status(
            of: call.app, device: device, at: call.moment, in: accounts.database)
        return Answer(
            MemberChange(
                member: member, standing: StandingRules.standing(of: member, status: status, call.view),
                serverDate: call.moment.milliseconds))
    }
}
