package import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Bans one member, and ends its sessions.
package struct BanMember: OperatorAction {
    package static let about = OperatorActionAbout(
        "member.banned", role: .support, step: .confirmed, undo: ReleaseBan.self)
    package static let inputs: [Input<Self>] = [.banEnd(\.end), .banTemplate(\.template)]

    let user: UserID
    /// Nil for a ban without end.
    var end: Moment?
    var template: Int?

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let account = try view.account(of: user, in: tx)
        guard account.holds.ban == nil else { throw InputProblems(["length": "problem.banned-already"]) }
        guard !account.isGone else { throw InputProblems(["length": "problem.gone"]) }
        var preview = Preview(
            Phrase("ban.title", ["user": .user(user)]),
            [Phrase("ban.what", ["user": .user(user), "end": .banEnd(end)]), "ban.sessions"], undo: "ban.undo")
        preview.isDangerous = true
        preview.playerReads = try BanRules.texts(of: template, view, in: tx)
        return preview
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await BanMembers(users: [user], until: end, template: template, by: work.actor).perform(work)
    }
}

/// Releases a member's ban before its end.
package struct ReleaseBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "ban.released", role: .support, step: .confirmed, undo: BanMember.self)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let ban = try BanRules.changeable(user, view, in: tx)
        return Preview(
            Phrase("release.title", ["user": .user(user)]),
            [
                Phrase(
                    "release.what",
                    [
                        "end": ban.endsAt.map { .moment($0) } ?? .phrase("bans.for-good"), "reason": .text(ban.reason),
                        "name": .text(ban.registeredBy),
                    ]), "release.login",
            ], undo: "release.undo")
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await ReleaseBans(users: [user]).perform(work)
    }
}

/// Lengthens or shortens a member's ban.
package struct ChangeBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "ban.changed", role: .support, step: .confirmed, section: "bans", leadsToSection: true)
    package static let inputs: [Input<Self>] = [.banEnd(\.end)]

    let user: UserID
    /// The new end; nil for none.
    var end: Moment?

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package init(user: UserID, end: Moment?) {
        self.user = user
        self.end = end
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        _ = try BanRules.changeable(user, view, in: tx)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let ban = try BanRules.changeable(user, view, in: tx)
        guard end != ban.endsAt else { throw InputProblems(["length": "problem.same-end"]) }
        let isShorter = end.map { new in ban.endsAt.map { new < $0 } ?? true } ?? false
        return Preview(
            Phrase("change-ban.title", ["user": .user(user)]),
            [
                Phrase("change-ban.now", ["end": .banEnd(ban.endsAt), "name": .text(ban.registeredBy)]),
                Phrase(isShorter ? "change-ban.shorter" : "change-ban.longer", ["end": .banEnd(end)]),
                Phrase("change-ban.begun", ["begin": .moment(ban.beginsAt)]),
            ], undo: "change-ban.undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        let role = work.actor.knownRole
        return try await work.transactOnce { change, tx in
            try BanRules.change(user, end: end, as: role, change, in: tx)
            return Empty()
        }
    }
}

extension BanMembers {
    /// The ban that an operator makes, in the operator's name.
    init(users: [UserID], until end: Moment?, template: Int?, by actor: Actor) {
        self.init(
            request: BanRequest(
                userIds: users, banType: end == nil ? .permanent : .temporary, endDate: end?.milliseconds,
                templateCode: template, reason: actor.origin.reason ?? "", registeredBy: actor.origin.name ?? ""))
    }
}

extension BanRules {
    /// The ban of a member, which the operator may change.
    ///
    /// - Throws: ``ImpossibleAction`` for a member that is not banned, and for somebody else's ban.
    static func changeable(_ user: UserID, _ view: OperatorView, in tx: Reader) throws -> BanRecord {
        let hold = try view.account(of: user, in: tx).holds.ban
        guard let ban = try hold.flatMap({ try HoldQueries.ban($0.id, app: view.app, in: tx) }) else {
            throw ImpossibleAction(phrase: "problem.not-banned", parameter: "user")
        }
        guard view.actor.mayChange(ban) else {
            throw ImpossibleAction(phrase: "problem.ban-of-other", parameter: "user", isForbidden: true)
        }
        return ban
    }

    /// What a ban's players read, by language.
    static func texts(
        of template: Int?, _ view: OperatorView, in tx: Reader
    ) throws -> [(language: String, text: String)] {
        let template = try template.flatMap { try HoldQueries.banTemplate($0, app: view.app, in: tx) }
        return (template?.texts.texts ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension Actor {
    /// Support changes and releases only its own bans.
    package func mayChange(_ ban: BanRecord) -> Bool {
        knownRole >= .operator
            || knownRole >= .support && ban.caller == origin.caller && ban.registeredBy == origin.name
    }
}
