import GatehouseStorage
public import GatehouseWire

/// The state of a member before a ban or a release.
public enum BanFinding: String, Sendable, Hashable {
    case unknown
    /// The member has withdrawn or is missing: nobody can log in as this member.
    case gone
    case free
    case banned
}

extension Administration {
    /// Whether a member is banned now. Nothing changes.
    public func banFinding(_ user: UserID, of app: AppID) async throws -> BanFinding {
        let moment = environment.now()
        return try await database.read { tx in
            guard let found = try MemberQueries.account(user, app: app, in: tx) else { return .unknown }
            guard !found.isGone else { return .gone }
            return try MemberRules.withHolds(found, in: tx).isBanned(at: moment) ? .banned : .free
        }
    }

    /// Validates the parameters of a ban. It is called before the first of many members is banned, and for a dry run.
    public func checkBan(until end: Moment?, template: Int?, reason: String, of app: AppID) async throws {
        try await check(reason, app) { change, tx in
            try BanRules.check(Self.input(until: end, template: template, at: change.moment), change, in: tx)
        }
    }

    /// Validates the parameters of a release.
    public func checkRelease(reason: String, of app: AppID) async throws {
        try await check(reason, app) { change, _ in try change.origin.requireReason() }
    }

    static func input(until end: Moment?, template: Int?, at moment: Moment) throws -> BanRules.Input {
        try BanRules.Input(
            type: end == nil ? .permanent : .temporary, endsAt: end, templateCode: template, at: moment)
    }

    private func check(
        _ reason: String, _ id: AppID, _ body: @escaping @Sendable (Change, Reader) throws -> Void
    ) async throws {
        let moment = environment.now()
        let origin = Origin(actor: .operator, door: .command, name: operatorName, reason: reason)
        try await database.read { tx in
            guard let app = try AppQueries.app(id, in: tx) else { throw AppRules.unknownApp }
            try body(
                Change(Viewpoint(app: app, moment: moment), by: origin, random: environment.random, vault: vault), tx)
        }
    }
}
