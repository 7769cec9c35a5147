import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension Console {
    /// What can be done to one member.
    static let memberDeeds =
        [kickOut, endSession] + memberLifeDeeds + mappingDeeds + transferDeeds

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
