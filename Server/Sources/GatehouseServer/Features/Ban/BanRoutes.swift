import GatehouseStorage
import GatehouseWire

/// The game server's calls on members: bans, grace bans, payments, kick-outs.
struct BanRoutes: Sendable {
    let accounts: AccountWriter
    let audit: AuditLog

    /// The maximum number of members of one call.
    private static let maximumMembers = 300

    func ban(_ call: Call<BanRequest>) async throws -> Answer<MembersOutcome> {
        let body = call.body
        let input = try BanRules.Input(
            type: body.banType, endsAt: body.endDate.map { Moment(milliseconds: $0) }, templateCode: body.templateCode,
            flags: body.flags, at: call.moment)
        return try await each(body.userIds, call, "member.banned", by: body.registeredBy, reason: body.reason) {
            user, change, tx in try BanRules.ban(user, input, change, in: tx)
        }
    }

    func release(_ call: Call<BanReleaseRequest>) async throws -> Answer<MembersOutcome> {
        let body = call.body
        return try await each(body.userIds, call, "ban.released", by: body.registeredBy, reason: body.reason) {
            user, change, tx in try BanRules.release(user, change, in: tx)
        }
    }

    /// Changes all members in one transaction, in a fixed order, so that two calls with the same members don't deadlock.
    private func each<Body>(
        _ users: [UserID], _ call: Call<Body>, _ event: String, by name: String, reason: String,
        _ rule: @escaping @Sendable (UserID, Change, Transaction) throws -> Bool
    ) async throws -> Answer<MembersOutcome> {
        guard (1...Self.maximumMembers).contains(users.count) else {
            throw Refusal.parameter("userIds", "A call is about 1 to \(Self.maximumMembers) members.")
        }
        let sorted = Set(users).sorted { $0.rawValue < $1.rawValue }
        let failed = try await accounts.transact(call, by: name, reason: reason) { change, tx in
            try sorted.filter { user in try !rule(user, change, tx) }
        }
        for user in sorted where !failed.contains(user) {
            audit.record(call.entry(event, subject: ["userId": user.rawValue, "by": name]))
        }
        return Answer(MembersOutcome(failedUserIds: failed))
    }

    func registerGraceBan(_ call: Call<GraceBanRequest>) async throws -> Answer<GraceBan> {
        let graceBan = try await accounts.transact(call, by: call.body.registeredBy) { change, tx in
            try GraceBanRules.register(call.body, change, in: tx)
        }
        audit.record(call.entry("member.grace-banned", subject: ["userId": call.body.userId.rawValue]))
        return Answer(graceBan)
    }

    func releaseGraceBan(_ call: Call<GraceBanReleaseRequest>) async throws -> Answer<Empty> {
        let body = call.body
        _ = try await accounts.transact(call, by: body.registeredBy, reason: body.reason) { change, tx -> Empty in
            try GraceBanRules.release(body.userId, change, in: tx)
            return Empty()
        }
        audit.record(call.entry("grace-ban.released", subject: ["userId": body.userId.rawValue]))
        return Answer(Empty())
    }

    func pay(_ call: Call<PaymentReport>) async throws -> Answer<PaymentOutcome> {
        let outcome = try await accounts.transact(call, by: "payments") { change, tx in
            try GraceBanRules.pay(call.body, change, in: tx)
        }
        if outcome.isNew {
            audit.record(call.entry("payment.reported", subject: ["userId": call.body.userId.rawValue]))
        }
        return Answer(outcome)
    }

    func kickOut(_ call: Call<KickOutRequest>) async throws -> Answer<Empty> {
        let body = call.body
        _ = try await accounts.transact(call, by: body.registeredBy) { change, tx -> Empty in
            try KickOutRules.kickOut(body.userId, message: LocalizedText(body.message), change, in: tx)
            return Empty()
        }
        audit.record(call.entry("sessions.kicked-out", subject: ["userId": body.userId?.rawValue ?? "everyone"]))
        return Answer(Empty())
    }
}
