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

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        switch report.member.status {
        case .banned, .missing, .withdrawn: nil
        default: .plain
        }
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let account = try context.account(of: user, in: tx)
        guard account.holds.ban == nil else { throw InputProblems(["length": "problem.banned-already"]) }
        guard !account.isGone else { throw InputProblems(["length": "problem.gone"]) }
        var preview = Preview(
            Phrase("ban.title", ["user": .user(user)]),
            [Phrase("ban.what", ["user": .user(user), "end": .banEnd(end)]), "ban.sessions"], undo: "ban.undo")
        preview.isDangerous = true
        preview.playerReads = try BanRules.texts(of: template, context, in: tx)
        return preview
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await work.ban([user], until: end, template: template)
    }
}

/// Bans members and ends their sessions, for a game server or an operator. The actor has a name and a reason.
package struct BanMembers: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.support

    let users: [UserID]
    private let type: BanType
    private let end: Moment?
    private let template: Int?
    private let flags: String?
    /// Only checks the request, and changes nothing.
    private var isTrial = false

    package init(request: BanRequest) {
        (users, type, template, flags) = (request.userIds, request.banType, request.templateCode, request.flags)
        end = request.endDate.map { Moment(milliseconds: $0) }
    }

    /// - Parameter end: nil for a permanent ban.
    package init(_ users: [UserID], until end: Moment?, template: Int? = nil, isTrial: Bool = false) {
        (self.users, self.end, self.template, self.isTrial) = (users, end, template, isTrial)
        (type, flags) = (end == nil ? .permanent : .temporary, nil)
    }

    package var audited: AuditedRun? { .members(users, BanMember.self, BanListedMembers.self) }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        let ban = try BanRules.Input(type: type, endsAt: end, templateCode: template, flags: flags, at: work.moment)
        guard !isTrial else {
            let (origin, app) = (work.actor.origin, work.app.id)
            try BanRules.requireLimit(until: end, as: work.actor.knownRole, at: work.moment)
            return try await work.read { tx in
                try BanRules.check(ban, by: origin, app: app, in: tx)
                return MembersOutcome(failedUserIds: [])
            }
        }
        return try await work.ban(users, ban)
    }
}

extension Work {
    /// Bans members and ends their sessions.
    ///
    /// - Parameter end: nil for a permanent ban.
    func ban(_ users: [UserID], until end: Moment?, template: Int?) async throws -> MembersOutcome {
        try await ban(
            users,
            BanRules.Input(
                type: end == nil ? .permanent : .temporary, endsAt: end, templateCode: template, at: moment))
    }

    fileprivate func ban(_ users: [UserID], _ ban: BanRules.Input) async throws -> MembersOutcome {
        try BanRules.requireLimit(until: ban.endsAt, as: actor.knownRole, at: moment)
        return try await changing(users) { change, tx in
            try BanRules.check(ban, by: change.origin, app: change.app.id, in: tx)
        } _: { user, change, tx in
            try BanRules.ban(user, ban, change, in: tx)
        }
    }

    /// Releases members' bans before their end.
    func releaseBans(of users: [UserID]) async throws -> MembersOutcome {
        let role = actor.knownRole
        return try await changing(users) { user, change, tx in
            try BanRules.release(user, as: role, change, in: tx)
        }
    }
}

extension BanRules {
    /// The ban of a member, which the operator may change.
    ///
    /// - Throws: ``ImpossibleAction`` for a member that is not banned, and for somebody else's ban.
    static func changeable(_ user: UserID, _ context: OperatorContext, in tx: Reader) throws -> BanRecord {
        let hold = try context.account(of: user, in: tx).holds.ban
        guard let ban = try hold.flatMap({ try HoldQueries.ban($0.id, app: context.app.id, in: tx) }) else {
            throw ImpossibleAction(phrase: "problem.not-banned", parameter: "user")
        }
        guard context.actor.mayChange(ban) else {
            throw ImpossibleAction(phrase: "problem.ban-of-other", parameter: "user", isForbidden: true)
        }
        return ban
    }

    /// What a ban's players read, by language.
    static func texts(
        of template: Int?, _ context: OperatorContext, in tx: Reader
    ) throws -> [(language: String, text: String)] {
        let template = try template.flatMap { try HoldQueries.banTemplate($0, app: context.app.id, in: tx) }
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

/// Lengthens or shortens a member's ban.
package struct ChangeBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "ban.changed", role: .support, step: .confirmed, section: "bans", leadsToSection: true)
    package static let inputs: [Input<Self>] = [.banEnd(\.end)]

    let user: UserID
    /// The new end; nil for none.
    var end: Moment?

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID, end: Moment?) {
        self.user = user
        self.end = end
    }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        actor.mayChangeBan(of: report) ? .plain : nil
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        _ = try BanRules.changeable(user, context, in: tx)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let ban = try BanRules.changeable(user, context, in: tx)
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
        return try await work.transact(once: .replayed) { change, tx in
            try BanRules.change(user, end: end, as: role, change, in: tx)
            return Empty()
        }
    }
}

/// Releases a member's ban before its end.
package struct ReleaseBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "ban.released", role: .support, step: .confirmed, undo: BanMember.self)

    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        actor.mayChangeBan(of: report) ? .primary : nil
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let ban = try BanRules.changeable(user, context, in: tx)
        return Preview(
            Phrase("release.title", ["user": .user(user)]),
            [
                Phrase(
                    "release.what",
                    [
                        "end": ban.endsAt.map { .moment($0) } ?? .phrase("bans.permanently"),
                        "reason": .text(ban.reason),
                        "name": .text(ban.registeredBy),
                    ]), "release.login",
            ], undo: "release.undo")
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await work.releaseBans(of: [user])
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

    package var audited: AuditedRun? { .members(users, ReleaseBan.self, ReleaseListedBans.self) }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        guard !isTrial else {
            try work.actor.origin.requireReason()
            return MembersOutcome(failedUserIds: [])
        }
        return try await work.releaseBans(of: users)
    }
}

/// How long a ban lasts, as an operator chooses it.
enum BanLength: String, CaseIterable {
    case oneHour = "1h"
    case oneDay = "1d"
    case threeDays = "3d"
    case sevenDays = "7d"
    case thirtyDays = "30d"
    case forGood = "for-good"
    case until

    /// The lengths that a role may choose. Support may ban until a moment as far ahead as its longest length.
    static func choices(_ role: OperatorRole) -> [BanLength] {
        allCases.filter { role >= .operator || $0 != .forGood }
    }

    private var seconds: Int64? {
        switch self {
        case .oneHour: 3_600
        case .oneDay: 86_400
        case .threeDays: 3 * 86_400
        case .sevenDays: 7 * 86_400
        case .thirtyDays: 30 * 86_400
        case .forGood, .until: nil
        }
    }

    /// The end of the ban; nil for one without.
    ///
    /// - Throws: ``InputProblems``, also for a ban that is longer than the role permits.
    static func end(_ values: InputValues, _ context: OperatorContext) throws -> Moment? {
        let end = try chosen(values, context)
        guard context.role < .operator else { return end }
        guard let end, end <= context.moment.adding(seconds: BanRules.supportDays * 86_400) else {
            throw InputProblems(["length": Phrase("problem.ban-limit", ["days": .count(Int(BanRules.supportDays))])])
        }
        return end
    }

    private static func chosen(_ values: InputValues, _ context: OperatorContext) throws -> Moment? {
        guard let length = values.text("length").flatMap({ BanLength(rawValue: $0) }) else {
            throw InputProblems(["length": "problem.choice"])
        }
        if let seconds = length.seconds { return context.moment.adding(seconds: seconds) }
        guard length == .until else { return nil }
        let end = try values.moment("until")
        guard context.moment < end else { throw InputProblems(["until": "problem.past"]) }
        return end
    }
}

extension Input {
    /// The end of a ban: how long it lasts, or until when; nil for one without end.
    static func banEnd(_ path: any WritableKeyPath<A, Moment?> & Sendable) -> Self {
        Input { _, context, _ in
            [
                InputField(
                    name: "length", label: "bans.length",
                    kind: .choice(
                        BanLength.choices(context.role).map {
                            .init(value: $0.rawValue, label: Phrase("bans.length.\($0.rawValue)"))
                        }), value: BanLength.threeDays.rawValue),
                InputField(
                    name: "until", label: "bans.until", kind: .time,
                    help: Phrase("time.zone-help", ["zone": .zone(context.moment)])),
            ]
        } read: { action, values, context in
            action[keyPath: path] = try BanLength.end(values, context)
        }
    }

    /// The template of what the player reads; nil for none.
    static func banTemplate(_ path: any WritableKeyPath<A, Int?> & Sendable) -> Self {
        Input { _, context, tx in
            let templates = try BanQueries.templates(of: context.app.id, in: tx).filter { !$0.isArchived }
            return [
                InputField(
                    name: "template", label: "bans.template",
                    kind: .choice(
                        [.init(value: "", label: "bans.no-template")]
                            + templates.map { .init(value: String($0.code), label: .verbatim($0.name)) }))
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text("template").flatMap { Int($0) }
        }
    }
}

extension Phrase.Value {
    /// The end of a ban in words.
    static func banEnd(_ moment: Moment?) -> Phrase.Value {
        guard let moment else { return .phrase("bans.permanently") }
        return .phrase(Phrase("bans.until-moment", ["end": .moment(moment), "length": .distance(moment)]))
    }
}
