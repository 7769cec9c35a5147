import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension Console {
    /// What can be done to one member.
    static let memberDeeds =
        [ban, release, kickOut, endSession] + noteDeeds + memberLifeDeeds + mappingDeeds + transferDeeds

    static func member(_ values: FormValues) throws -> DeedTarget {
        guard let user = values["user"], user.utf8.count <= 64, user == Visit.plain(user, limit: 64) else {
            throw Refusal.parameter("user", "The address names no member.")
        }
        return .member(UserID(user))
    }

    static func user(_ values: FormValues) throws -> UserID {
        guard case .member(let user) = try member(values) else { throw Refusal(.authNotExistMember) }
        return user
    }

    private static let ban = DeedKind(
        name: "member.banned", level: .confirmed, role: .support, section: "members", undo: "ban.released",
        target: member,
        fields: { visit, _ in lengthFields(visit) + [try await banTextField(visit)] },
        preview: { visit, values in
            let user = try user(values)
            let end = try BanLength.end(values, visit)
            let report = try await visit.run(ReadMemberReport(user: user))
            guard report.ban == nil else { throw FormProblems(["length": visit.words("problem.banned-already")]) }
            guard ![.withdrawn, .missing].contains(report.member.status) else {
                throw FormProblems(["length": visit.words("problem.gone")])
            }
            var preview = DeedPreview(
                visit.words("ban.title", ["user": user.rawValue]),
                [
                    visit.words("ban.what", ["user": user.rawValue, "end": visit.end(end)]),
                    visit.words("ban.sessions"),
                ], undo: visit.words("ban.undo"), button: visit.words("deed.member.banned"),
                cancel: visit.memberLink(user), isDangerous: true)
            preview.playerReads = try await visit.banTexts(values)
            return preview
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(ban(of: [user], visit, values, call))
            return DeedResult(visit.memberLink(user))
        })

    private static let release = DeedKind(
        name: "ban.released", level: .confirmed, role: .support, section: "members", undo: "member.banned",
        target: member,
        preview: { visit, values in
            let user = try user(values)
            let report = try await visit.run(ReadMemberReport(user: user))
            let ban = try visit.changeableBan(report)
            let end = ban.endsAt.map { visit.local.absolute($0) } ?? visit.words("bans.for-good")
            return DeedPreview(
                visit.words("release.title", ["user": user.rawValue]),
                [
                    visit.words("release.what", ["end": end, "reason": ban.reason, "name": ban.registeredBy]),
                    visit.words("release.login"),
                ], undo: visit.words("release.undo"), button: visit.words("deed.ban.released"),
                cancel: visit.memberLink(user))
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(ReleaseBans(users: [user]))
            return DeedResult(visit.memberLink(user))
        })

    private static let kickOut = DeedKind(
        name: "member.kicked-out", level: .confirmed, role: .support, section: "members", target: member,
        fields: { visit, _ in textFields("message", visit.words("kick-out.message"), visit) },
        preview: { visit, values in
            let user = try user(values)
            var preview = DeedPreview(
                visit.words("kick-out.title", ["user": user.rawValue]),
                [visit.words("kick-out.what"), visit.words("kick-out.login")],
                undo: visit.words("kick-out.undo"), button: visit.words("deed.member.kicked-out"),
                cancel: visit.memberLink(user))
            preview.playerReads = values.texts("message").sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            return preview
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(KickOut(user: user, message: values.texts("message")))
            return DeedResult(visit.memberLink(user))
        })

    private static let endSession = DeedKind(
        name: "session.ended", level: .confirmed, role: .support, section: "members", target: member,
        preview: { visit, values in
            let user = try user(values)
            let id = try sessionID(values)
            let list = try await visit.run(ListMemberSessions(request: MemberSessionsRequest(userId: user)))
            guard let session = list.sessions.first(where: { $0.sessionId == id }) else {
                throw Refusal.parameter("session", visit.words("problem.session-over"))
            }
            return DeedPreview(
                visit.words("session-end.title", ["user": user.rawValue]),
                [
                    visit.words(
                        "session-end.what",
                        [
                            "device": visit.device(session),
                            "begun": visit.local.absolute(Moment(milliseconds: session.beginDate)),
                        ]), visit.words("session-end.others"),
                ], undo: visit.words("kick-out.undo"), button: visit.words("deed.session.ended"),
                cancel: visit.memberLink(user))
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(EndMemberSession(session: try sessionID(values), of: user))
            return DeedResult(visit.memberLink(user))
        })

    private static func sessionID(_ values: FormValues) throws -> SessionID {
        guard let id = values["session"], id.utf8.count <= 64, id == Visit.plain(id, limit: 64) else {
            throw Refusal.parameter("session", "The address names no session.")
        }
        return SessionID(id)
    }

    /// A field for a text in each language.
    static func textFields(_ name: String, _ label: String, _ visit: Visit) -> [Field] {
        Words.languages.map { language in
            Field("\(name).\(language)", "\(label) (\(visit.words("language.\(language)")))", .lines, limit: 1_000)
        }
    }
}

/// How long a ban lasts, as a button says it.
enum BanLength: String, CaseIterable {
    case oneHour = "1h"
    case oneDay = "1d"
    case threeDays = "3d"
    case sevenDays = "7d"
    case thirtyDays = "30d"
    case forGood = "for-good"
    case until

    /// The lengths that a role may choose. Support may ban until a moment as far ahead as its longest length.
    static func choices(_ visit: Visit) -> [BanLength] {
        allCases.filter { visit.may(.operator) || $0 != .forGood }
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
    static func end(_ values: FormValues, _ visit: Visit) throws -> Moment? {
        let end = try chosen(values, visit)
        try visit.requireBanLimit(until: end)
        return end
    }

    private static func chosen(_ values: FormValues, _ visit: Visit) throws -> Moment? {
        guard let length = BanLength(rawValue: values["length"] ?? "") else {
            throw FormProblems(["length": visit.words("problem.choice")])
        }
        if let seconds = length.seconds { return visit.moment.adding(seconds: seconds) }
        guard length == .until else { return nil }
        do {
            let end = try visit.local.moment(from: values["until"] ?? "")
            guard visit.moment < end else { throw FormProblems(["until": visit.words("problem.past")]) }
            return end
        } catch let problem as TimeProblem {
            throw FormProblems(["until": visit.words("problem.time.\(problem.rawValue)")])
        }
    }
}
