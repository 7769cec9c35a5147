public import GatehouseStorage
public import GatehouseWire

/// A member's data for an operator.
public struct MemberReport: Sendable {
    public let member: Member
    public let ban: BanRecord?
    /// The end of the time during which a missing member can be restored, in milliseconds since 1970, UTC.
    public let restorableUntilDate: Int64?
    /// The identity providers that a missing member can be restored with.
    public let formerProviders: [Provider]
}

extension Administration {
    public func member(_ user: UserID, of app: AppID) async throws -> MemberReport {
        let moment = environment.now()
        return try await database.read { tx in
            guard let found = try MemberQueries.account(user, app: app, in: tx) else {
                throw Refusal(.authNotExistMember)
            }
            let account = try MemberRules.withHolds(found, in: tx)
            return MemberReport(
                member: try MemberRules.member(account, in: tx),
                ban: try account.holds.ban.flatMap { try BanQueries.ban($0.id, in: tx) },
                restorableUntilDate: account.holds.restorableUntil?.milliseconds,
                formerProviders: account.status != .missing
                    ? [] : try FormerIdentityQueries.identities(of: user, app: app, at: moment, in: tx).map(\.provider))
        }
    }

    /// Members in the order of their registration.
    ///
    /// - Parameter after: the last member of the previous page.
    public func members(
        of app: AppID, status: MemberStatus? = nil, after: UserID? = nil, limit: Int = 50
    ) async throws -> [Member] {
        try await database.read { tx in
            try MemberQueries.list(of: app, status: status, after: after, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }

    /// Members with this user id, or with an identity that has this subject.
    public func findMembers(_ text: String, of app: AppID) async throws -> [Member] {
        try await database.read { tx in
            let users = try MemberQueries.owners(ofSubject: text, app: app, in: tx)
            return try (Set(users).sorted { $0.rawValue < $1.rawValue } + [UserID(text)]).compactMap { user in
                try MemberQueries.account(user, app: app, in: tx).map { account in
                    try MemberRules.member(MemberRules.withHolds(account, in: tx), in: tx)
                }
            }
        }
    }

    public func history(of user: UserID, app: AppID) async throws -> [LedgerEntry] {
        try await database.read { tx in try LedgerRules.history(of: user, app: app, in: tx) }
    }

    /// Restores a missing member with one of its former identities. Unless a provider is named, that is the last one.
    public func restore(_ user: UserID, with provider: Provider?, reason: String, of app: AppID) async throws
        -> Restoration
    {
        try await changeAccount("member.restored", user, reason, app) { change, tx in
            try LifeRules.restore(user, with: provider, change, in: tx)
        }
    }

    public func withdraw(_ user: UserID, reason: String, of app: AppID) async throws {
        try await changeAccount("member.withdrawn", user, reason, app) { change, tx in
            try WithdrawalRules.now(user, change, in: tx)
        }
    }

    /// - Parameter end: nil for a permanent ban.
    public func ban(
        _ user: UserID, until end: Moment?, template: Int?, reason: String, of app: AppID
    ) async throws -> Bool {
        try await changeAccount("member.banned", user, reason, app) { change, tx in
            try BanRules.ban(user, Self.input(until: end, template: template, at: change.moment), change, in: tx)
        } changes: {
            $0
        }
    }

    public func releaseBan(_ user: UserID, reason: String, of app: AppID) async throws -> Bool {
        try await changeAccount("ban.released", user, reason, app) { change, tx in
            try BanRules.release(user, change, in: tx)
        } changes: {
            $0
        }
    }

    /// A member's bans, or the bans of the whole app that began in a period, newest first.
    public func bans(
        of app: AppID, user: UserID?, from begin: Moment, to end: Moment, limit: Int = 100
    ) async throws -> [BanRecord] {
        try await database.read { tx in
            if let user { return try BanQueries.bans(of: user, app: app, in: tx) }
            return try BanQueries.bans(of: app, from: begin, to: end, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }

    public func setBanTemplate(
        _ code: Int, name: String, texts: [String: String], of app: AppID
    ) async throws {
        try await change("app.ban-template-set", app) { tx, _ in
            try BanRules.setTemplate(code, name: name, texts: LocalizedText(texts), app: app, in: tx)
        }
    }

    /// Each template's code, name, and texts by language.
    public func banTemplates(of app: AppID) async throws -> [(code: Int, name: String, texts: [String: String])] {
        try await database.read { tx in try BanQueries.templates(of: app, in: tx) }
            .map { ($0.code, $0.name, $0.texts.texts) }
    }

    /// Ends the sessions of a member, or of all members.
    public func kickOut(_ user: UserID?, message: [String: String], of app: AppID) async throws {
        try await changeAccount("sessions.kicked-out", user, nil, app) { change, tx in
            try KickOutRules.kickOut(user, message: LocalizedText(message), change, in: tx)
        }
    }

    public func jobs(in state: JobRecord.State?, limit: Int = 100) async throws -> [JobRecord] {
        try await database.read { tx in try JobQueries.jobs(in: state, limit: max(1, min(limit, 1_000)), in: tx) }
    }

    /// Changes an account, and records it in the audit log.
    ///
    /// - Parameter changes: whether the value shows that something has changed. Only then is there an audit record.
    func changeAccount<Value: Sendable>(
        _ event: String, _ user: UserID?, _ reason: String?, _ id: AppID,
        _ body: @escaping @Sendable (Change, Transaction) throws -> Value,
        changes: (Value) -> Bool = { _ in true }
    ) async throws -> Value {
        let moment = environment.now()
        let origin = Origin(actor: .operator, door: .command, name: operatorName, reason: reason)
        let value = try await accounts.transact(at: moment) { tx in
            guard let app = try AppQueries.app(id, in: tx) else { throw AppRules.unknownApp }
            let change = Change(
                Viewpoint(app: app, moment: moment), by: origin, random: environment.random, vault: vault)
            return try body(change, tx)
        }
        guard changes(value) else { return value }
        audit.record(
            .init(
                event: event, app: id, actor: .operator, address: nil, transactionID: nil,
                subject: ["userId": user?.rawValue ?? "everyone", "by": operatorName]))
        return value
    }
}
