import GatehouseSecurity
import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Ends one session of a member, for a game server or an operator.
package struct EndMemberSession: OperatorAction {
    package static let permission = Permission.serve(.moderate)
    package static let about = OperatorActionAbout("session.kicked-out", role: .support, step: .confirmed)
    package static let inputs: [Input<Self>] = [
        Input { action, values, _ in action.session = SessionID(try values.name("session", "session")) }
    ]

    var session = SessionID("")
    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(session: SessionID, of user: UserID) {
        self.session = session
        self.user = user
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let list = try DeviceRules.list(of: user, after: nil, view.view, in: tx)
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
        try await work.transactOnce { change, tx in
            try DeviceRules.kickOut(session, of: user, change, in: tx)
            return Empty()
        }
    }
}
