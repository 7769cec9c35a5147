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

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        BanMember.emphasis(on: report, for: actor)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        var preview = Preview(
            Phrase("kick-out.title", ["user": .user(user)]), ["kick-out.what", "kick-out.login"],
            undo: "kick-out.undo")
        preview.playerReads = Preview.readings(message)
        return preview
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await KickOut(user: user, message: message).perform(work)
    }
}
