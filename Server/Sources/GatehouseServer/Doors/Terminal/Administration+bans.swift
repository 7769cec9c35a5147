public import GatehouseCore
public import GatehouseSecurity
import GatehouseServerWire
public import GatehouseWire

extension Administration {
    /// - Parameter end: nil for a permanent ban.
    /// - Returns: false if there is no such member, or it has withdrawn or is already banned.
    public func ban(
        _ user: UserID, until end: Moment?, template: Int?, reason: String, of app: AppID
    ) async throws -> Bool {
        let request = request([user], until: end, template: template, reason: reason)
        return try await run(BanMembers(request: request), on: app, reason: reason).failedUserIds.isEmpty
    }

    /// Validates the parameters of a ban. It is called before the first of many members is banned, and for a dry run.
    public func checkBan(until end: Moment?, template: Int?, reason: String, of app: AppID) async throws {
        let request = request([], until: end, template: template, reason: reason)
        _ = try await run(BanMembers(request: request, isTrial: true), on: app, reason: reason)
    }

    private func request(_ users: [UserID], until end: Moment?, template: Int?, reason: String) -> BanRequest {
        BanRequest(
            userIds: users, banType: end == nil ? .permanent : .temporary, endDate: end?.milliseconds,
            templateCode: template, reason: reason, registeredBy: operatorName)
    }

    /// - Returns: false for a member that is not banned.
    public func releaseBan(_ user: UserID, reason: String, of app: AppID) async throws -> Bool {
        try await run(ReleaseBans(users: [user]), on: app, reason: reason).failedUserIds.isEmpty
    }

    /// Validates the parameters of a release.
    public func checkRelease(reason: String, of app: AppID) async throws {
        _ = try await run(ReleaseBans(users: [], isTrial: true), on: app, reason: reason)
    }

    /// Whether a member is banned now. Nothing changes.
    public func banFinding(_ user: UserID, of app: AppID) async throws -> BanFinding {
        try await run(FindBan(user: user), on: app)
    }

    /// A member's bans, or the bans of the whole app that began in a period, newest first.
    public func bans(
        of app: AppID, user: UserID?, from begin: Moment, to end: Moment, limit: Int = 100
    ) async throws -> [BanRecord] {
        if let user { return try await run(ListBansOfMember(user: user), on: app) }
        return try await run(ListRecentBans(begin: begin, end: end, limit: limit), on: app)
    }

    public func setBanTemplate(
        _ code: Int, name: String, texts: [String: String], of app: AppID
    ) async throws {
        try await run(SetBanTemplate(code: code, name: name, texts: texts), on: app)
    }

    /// Each template's code, name, and texts by language.
    public func banTemplates(of app: AppID) async throws -> [(code: Int, name: String, texts: [String: String])] {
        try await run(ListBanTemplates(), on: app).map { ($0.code, $0.name, $0.texts.texts) }
    }

    /// Registers a grace ban: the member can play until its deadline, and is then banned permanently unless it has met the condition.
    ///
    /// - Throws: 3 for invalid parameters, and for a member that already has a grace ban; 7 for a banned member; 3003 if there is no
    ///   such member.
    public func registerGraceBan(
        _ graceBan: GraceBan, of user: UserID, reason: String, of app: AppID
    ) async throws -> GraceBan {
        let request = GraceBanRequest(userId: user, graceBan: graceBan, registeredBy: operatorName)
        return try await run(RegisterGraceBan(request: request), on: app, reason: reason)
    }

    /// Ends a member's grace ban without a ban.
    ///
    /// - Throws: 3 for a member without a grace ban; 3003 if there is no such member.
    public func cancelGraceBan(of user: UserID, reason: String, of app: AppID) async throws {
        _ = try await run(ReleaseGraceBan(user: user), on: app, reason: reason)
    }

    /// Grace bans that began before a moment, newest first.
    ///
    /// - Parameters:
    ///   - user: only those of this member; nil for those of all members.
    ///   - isOpen: only those that are in effect now.
    public func graceBans(
        of app: AppID, user: UserID? = nil, isOpen: Bool = true, before end: Moment? = nil, limit: Int = 100
    ) async throws -> [GraceBanRecord] {
        try await run(ListGraceBans(user: user, isOpen: isOpen, end: end, limit: limit), on: app)
    }

    /// Ends the sessions of a member, or of all members.
    public func kickOut(_ user: UserID?, message: [String: String], of app: AppID) async throws {
        _ = try await run(KickOut(user: user, message: message), on: app)
    }
}
