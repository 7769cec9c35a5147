import GatehouseSecurity
import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Ends the sessions of one member.
package struct KickOutMember: OperatorAction {
    package static let about = OperatorActionAbout("member.kicked-out", role: .support, step: .confirmed)
    package static let inputs: [Input<Self>] = [
        .texts("message", \.message, label: "kick-out.message", defaultHelp: nil)
    ]

    let user: UserID
    /// What the player reads, by language.
    var message: [String: String] = [:]

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        BanMember.emphasis(on: report, for: actor)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var preview = Preview(
            Phrase("kick-out.title", ["user": .user(user)]), ["kick-out.what", "kick-out.login"],
            undo: "kick-out.undo")
        preview.playerReads = Preview.readings(message)
        return preview
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.kickOut(user, message: message)
    }
}

/// Ends the sessions of all members.
package struct KickOutEveryone: OperatorAction {
    package static let about = OperatorActionAbout(
        "kick-out.everyone", role: .operator, step: .typed, section: "kick-out", subject: .app)
    package static let inputs: [Input<Self>] = [.texts("message", \.message)]

    /// What the players read, by language.
    private var message: [String: String] = [:]

    package init(on target: ActionTarget) {}

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let live = try LiveSessions(context, in: tx)
        var preview = Preview(
            "kick-out.everyone-title",
            [.live(live), "kick-out.everyone-what", "kick-out.everyone-login", "kick-out.everyone-load"],
            undo: "kick-out.undo")
        preview.isDangerous = true
        preview.playerReads = Preview.readings(message)
        // It is counted when the word is compared, and no form or address says it.
        preview.typed = String(live.roundedCount)
        return preview
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.kickOut(nil, message: message)
    }
}

/// The sessions that are live now, as an operator sees them before ending all of them.
package struct LiveSessions: Sendable, Hashable {
    /// The maximum number of sessions that are examined, newest first, so that the count takes a limited time.
    static let examined = 2_000

    package let count: Int
    /// Whether every session was examined. Otherwise there may be more.
    package let isComplete: Bool

    /// The first two digits, and noughts: players log in all the time, and the exact number of a large game is another one before
    /// somebody has typed it.
    var roundedCount: Int {
        var unit = 1
        while count / unit >= 100 { unit *= 10 }
        return count / unit * unit
    }
}

extension LiveSessions {
    init(_ context: OperatorContext, in tx: Reader) throws {
        let (app, moment) = (context.app, context.moment)
        let found = try SessionQueries.live(
            of: app.id, createdSince: app.kickOut?.end, at: moment, examining: Self.examined, in: tx)
        self.init(count: found.live, isComplete: found.examined < Self.examined)
    }
}

extension UseCase where Self == Read<LiveSessions> {
    /// The sessions that are live now.
    package static var liveSessions: Self { Read { context, tx in try LiveSessions(context, in: tx) } }
}

extension Phrase {
    /// How many sessions are live now.
    package static func live(_ count: LiveSessions) -> Phrase {
        Phrase(count.isComplete ? "kick-out.live" : "kick-out.live-more", ["count": .count(count.count)])
    }
}

/// Ends one session of a member, for a game server or an operator.
package struct EndMemberSession: OperatorAction {
    package static let permission = Permission.serve(.moderate)
    package static let about = OperatorActionAbout("session.kicked-out", role: .support, step: .confirmed)
    package static let inputs: [Input<Self>] = [
        Input { action, values, _ in action.session = SessionID(try values.name("session", "session")) }
    ]

    var session = SessionID("")
    let user: UserID

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(session: SessionID, of user: UserID) {
        self.session = session
        self.user = user
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let list = try DeviceRules.list(of: user, after: nil, context.call, in: tx)
        guard let listed = list.sessions.first(where: { $0.sessionId == session }) else {
            throw ImpossibleAction(phrase: "problem.session-over", parameter: "session")
        }
        return Preview(
            Phrase("session-end.title", ["user": .user(user)]),
            [
                Phrase(
                    "session-end.what",
                    ["device": .device(listed), "begun": .moment(Moment(milliseconds: listed.beginDate))]),
                "session-end.others",
            ], undo: "kick-out.undo")
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact(once: .replayed) { change, tx in
            try DeviceRules.kickOut(session, of: user, change, in: tx)
            return Empty()
        }
    }
}
