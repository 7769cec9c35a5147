package import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Bans one member, and ends its sessions.
package struct BanMember: OperatorAction {
    package static let about = OperatorActionAbout(
        "member.banned", role: .support, step: .confirmed, undo: ReleaseBan.self)
    // The end of a released ban is not kept, so the operator chooses one.
    package static let undoesExactly = false
    package static let inputs: [Input<Self>] = [.banEnd(\.end), .banTemplate(\.template)]

    let user: UserID
    /// Nil for a ban without end.
    var end: Moment?
    var template: Int?

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        switch report.member.status {
        case .banned, .missing, .withdrawn: nil
        default: .plain
        }
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
        try await BanMembers([user], until: end, template: template).perform(work)
    }
}

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

    package var audited: AuditedRun? { .members(request.userIds, BanMember.self, BanListedMembers.self) }

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
        return Preview.readings(template?.texts.texts ?? [:])
    }
}

extension Actor {
    /// Support changes and releases only its own bans.
    package func mayChange(_ ban: BanRecord) -> Bool {
        knownRole >= .operator
            || knownRole >= .support && ban.caller == origin.caller && ban.registeredBy == origin.name
    }

    /// Whether the member is banned, by a ban that the actor may change.
    package func mayChangeBan(of report: MemberReport) -> Bool {
        report.member.status == .banned && report.ban.map(mayChange) == true
    }
}
