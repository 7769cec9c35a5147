import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Bans: their members, their ends, and the texts of templates (BAN-1 to BAN-3).
enum BanRules {
    /// The number of bans that are in effect, up to a limit.
    static func countInForce(at moment: Moment, app: AppID, limit: Int, in tx: Reader) throws -> Int {
        try BanQueries.countInForce(at: moment, app: app, limit: limit, in: tx)
    }

    /// The parameters from an operator or a game server.
    struct Input: Sendable {
        let type: BanType
        let endsAt: Moment?
        let templateCode: Int?
        /// A message for only this ban.
        var message: LocalizedText?
        let flags: String?

        /// - Throws: 3 for invalid parameters.
        init(
            type: BanType, endsAt: Moment?, templateCode: Int?, message: LocalizedText? = nil, flags: String? = nil,
            at moment: Moment
        ) throws {
            switch type {
            case .temporary:
                guard let endsAt, moment < endsAt else {
                    throw Refusal.parameter("endDate", "A temporary ban needs an end that lies ahead.")
                }
            case .permanent:
                guard endsAt == nil else { throw Refusal.parameter("endDate", "A permanent ban has no end.") }
            default: throw Refusal.parameter("banType", "The type of a ban is TEMPORARY or PERMANENT.")
            }
            guard (flags ?? "").utf8.count <= 256 else {
                throw Refusal.parameter("flags", "Flags have at most 256 bytes.")
            }
            self.type = type
            self.endsAt = endsAt
            self.templateCode = templateCode
            self.message = message
            self.flags = flags
        }
    }

    /// Bans a member and ends its sessions. False if there is no such member, or it has withdrawn or is already banned.
    ///
    /// - Parameter input: as ``check(_:by:app:in:)`` has let it in.
    static func ban(_ user: UserID, _ input: Input, _ change: Change, in tx: Transaction) throws -> Bool {
        guard let account = try MemberRules.takeIfThere(user, app: change.app.id, at: change.moment, in: tx),
            !account.isGone, account.holds.ban == nil
        else { return false }
        try begin(account, input, change, in: tx)
        return true
    }

    /// Refuses invalid parameters of a ban.
    static func check(_ input: Input, by origin: Origin, app: AppID, in tx: Reader) throws {
        try origin.requireReason()
        guard let code = input.templateCode else { return }
        guard let template = try HoldQueries.banTemplate(code, app: app, in: tx) else {
            throw Refusal.parameter("templateCode", "The app has no ban template with this code.")
        }
        guard !template.isArchived else {
            throw Refusal.parameter("templateCode", "The ban template with this code is archived.")
        }
    }

    /// Writes a ban of a member whose row is locked.
    static func begin(_ account: Account, _ input: Input, _ change: Change, in tx: Draft) throws {
        let id = TimeOrderedID.session(at: change.moment, random: change.random).rawValue
        try BanQueries.insert(id, user: account.user, input, change, in: tx)
        // The grace period ends with this ban.
        if let grace = account.holds.graceBan {
            try GraceBanQueries.end(grace.id, app: account.app, outcome: "banned", at: change.moment, in: tx)
        }
        try MemberRules.update(account, in: tx) { holds in
            holds.ban = .init(id: id, endsAt: input.endsAt)
            holds.graceBan = nil
        }
        try SessionRules.endAll(of: account, .init(reason: .banned), change, in: tx)
        try change.record(
            .banned(id: id, input.type, template: input.templateCode, end: input.endsAt), of: account.user, in: tx)
    }

    /// Releases a ban before its end. False for a member that is not banned.
    static func release(
        _ user: UserID, as role: OperatorRole = .owner, _ change: Change, in tx: Transaction
    ) throws -> Bool {
        try change.origin.requireReason()
        guard let account = try MemberRules.takeIfThere(user, app: change.app.id, at: change.moment, in: tx),
            !account.isGone, let ban = account.holds.ban
        else { return false }
        try requireOwn(ban.id, as: role, change, in: tx)
        try BanQueries.release(ban.id, change, in: tx)
        try MemberRules.update(account, in: tx) { $0.ban = nil }
        try change.record(.banReleased(id: ban.id), of: user, in: tx)
        return true
    }

    /// Gives a ban another end.
    ///
    /// - Parameter end: nil for a ban without end.
    /// - Throws: 3 for a member that is not banned.
    static func change(
        _ user: UserID, end: Moment?, as role: OperatorRole, _ change: Change, in tx: Transaction
    ) throws {
        try change.origin.requireReason()
        guard end.map({ change.moment < $0 }) ?? true else {
            throw Refusal.parameter("endDate", "The new end of a ban lies ahead.")
        }
        try requireLimit(until: end, as: role, at: change.moment)
        guard let account = try MemberRules.takeIfThere(user, app: change.app.id, at: change.moment, in: tx),
            !account.isGone, let ban = account.holds.ban
        else { throw Refusal.parameter("userId", "The member is not banned.") }
        try requireOwn(ban.id, as: role, change, in: tx)
        try BanQueries.setEnd(ban.id, app: account.app, to: end, in: tx)
        try MemberRules.update(account, in: tx) { $0.ban = .init(id: ban.id, endsAt: end) }
        try change.record(.banChanged(id: ban.id, end: end), of: user, in: tx)
    }

    /// The longest ban, in days, that support may make.
    static let supportDays: Int64 = 30

    /// - Throws: 5 for a ban that is longer than the role permits.
    static func requireLimit(until end: Moment?, as role: OperatorRole, at moment: Moment) throws {
        guard role < .operator else { return }
        guard let end, end <= moment.adding(seconds: supportDays * 86_400) else {
            throw Refusal(
                .userPermission, "Support bans for at most \(supportDays) days. An operator may ban for longer.",
                httpStatus: 403)
        }
    }

    /// - Throws: 5 for a ban of somebody else, which the role may not touch.
    private static func requireOwn(_ id: String, as role: OperatorRole, _ change: Change, in tx: Reader) throws {
        guard role < .operator else { return }
        guard let ban = try HoldQueries.ban(id, app: change.app.id, in: tx), ban.caller == change.origin.caller,
            ban.registeredBy == change.origin.name
        else {
            throw Refusal(
                .userPermission, "Support releases and changes its own bans. An operator may change every ban.",
                httpStatus: 403)
        }
    }

    /// Records that a temporary ban has expired.
    static func expire(_ account: Account, _ change: Change, in tx: Draft) throws {
        guard let ban = account.holds.ban else { return }
        try MemberRules.update(account, in: tx) { $0.ban = nil }
        try change.record(.banExpired(id: ban.id), of: account.user, in: tx)
    }

    static let templateCodes = 1...1_000_000

    /// A member's last bans, newest first.
    static func newest(of user: UserID, app: AppID, limit: Int, in tx: Reader) throws -> [BanRecord] {
        try BanQueries.bans(of: user, app: app, limit: limit, in: tx)
    }

    /// Sets a template with a text for each language. It replaces one with the same code, and existing bans show its new text.
    static func setTemplate(
        _ code: Int, name: String, texts: LocalizedText, app: AppID, in tx: Transaction
    ) throws {
        guard templateCodes.contains(code) else {
            throw Refusal.parameter("templateCode", "A template's code is 1 to 1000000.")
        }
        guard (1...100).contains(name.utf8.count) else {
            throw Refusal.parameter("name", "A template's name has 1 to 100 bytes.")
        }
        guard !texts.texts.isEmpty else { throw Refusal.parameter("message", "A template has at least one text.") }
        try AppRules.lock(app, in: tx)
        try BanQueries.setTemplate(.init(code: code, name: name, texts: texts), app: app, in: tx)
    }

    static func archiveTemplate(_ code: Int, _ isArchived: Bool, _ change: Change, in tx: Transaction) throws {
        let app = change.app.id
        try AppRules.lock(app, in: tx)
        guard try BanQueries.setArchived(isArchived, template: code, app: app, in: tx) else {
            throw Refusal.parameter("templateCode", "The app has no ban template with this code.")
        }
        try change.record(isArchived ? .banTemplateArchived : .banTemplateRestored, in: tx)
    }
}

extension BanRules {
    /// The bans of a page of members, each member's oldest first.
    static func history(of users: UserRange, app: AppID, in tx: Reader) throws -> [UserID: [BanRecord]] {
        Dictionary(grouping: try BanQueries.bans(of: users, app: app, in: tx), by: \.user)
            .mapValues { bans in bans.sorted { ($0.beginsAt, $0.id) < ($1.beginsAt, $1.id) } }
    }
}
