import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What a held member's player is told (LOGIN-10, BAN-4).
enum HoldRules {
    /// The refusal of a banned member, with the ban (LOGIN-10).
    static func refusal(
        of account: Account, code: ErrorCode = .bannedMember, reason: ErrorReason? = nil, _ view: Viewpoint,
        in tx: Reader
    ) throws -> Refusal {
        // For a login with the last provider the code is changed, so that it reports the ban and not invalid tokens.
        let code = code == .authTokenLoginInvalidTokenInfo ? .bannedMember : code
        let ban = try ban(of: account, view, in: tx)
        let standing = StandingRules.standing(ofBanned: ban, status: LaunchingRules.statusForEveryone(view), view)
        return Refusal(
            code, ban.message, reason: reason, details: ErrorDetails(standing: standing, ban: ban),
            httpStatus: code == .bannedMember ? nil : 401, audit: "login.banned")
    }

    /// The ban of a banned member, in the player's language.
    static func ban(of account: Account, _ view: Viewpoint, in tx: Reader) throws -> Ban {
        let record = try account.holds.ban.flatMap { try HoldQueries.ban($0.id, app: account.app, in: tx) }
        var message = view.text(record?.message)
        if message == nil, let code = record?.templateCode {
            message = view.text(try HoldQueries.banTemplate(code, app: account.app, in: tx)?.texts)
        }
        if message == nil { message = try graceBan(of: account, in: tx)?.message }
        return Ban(
            userId: account.user, banType: record?.type ?? .permanent,
            beginDate: (record?.beginsAt ?? account.holds.graceBan?.endsAt ?? view.moment).milliseconds,
            endDate: record?.endsAt?.milliseconds, message: message ?? view.text(StandingRules.text(of: .banned)),
            contact: view.app.policy.supportContact, contactUrl: view.app.policy.supportURL)
    }

    /// The grace ban of a member that has one, with what was paid.
    static func graceBan(of account: Account, in tx: Reader) throws -> GraceBan? {
        try account.holds.graceBan.flatMap { try HoldQueries.graceBan($0.id, app: account.app, in: tx)?.graceBan }
    }
}
