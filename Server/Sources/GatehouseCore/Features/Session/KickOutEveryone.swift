import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Ends the sessions of all members.
package struct KickOutEveryone: OperatorAction {
    package static let about = OperatorActionAbout(
        "kick-out.everyone", role: .operator, step: .typed, section: "kick-out", subject: .app)
    package static let inputs: [Input<Self>] = [.texts("message", \.message)]

    /// What the players read, by language.
    private var message: [String: String] = [:]

    package init(on target: DeedTarget) {}

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let live = try CountLiveSessions().read(view.view, in: tx)
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
        try await KickOut(user: nil, message: message).perform(work)
    }
}
