import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Ends the sessions of all members.
package struct KickOutEveryone: OperatorAction {
    package static let about = OperatorActionAbout(
        "kick-out.everyone", role: .operator, step: .typed, section: "kick-out", subject: .app)
    package static let inputs: [Input<Self>] = [
        // The number of this page is typed on the next one. Players log in all the time, so it is not counted again there.
        Input { action, _, _ in
            [InputField(name: "live", label: "", kind: .hidden, value: String(action.live))]
        } read: { action, values, _ in
            action.live = try values.number("live", 0...1_000_000_000)
        }, .texts("message", \.message),
    ]

    /// How many sessions the form has counted.
    private var live = 0
    /// What the players read, by language.
    private var message: [String: String] = [:]

    package init(on target: DeedTarget) {}

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        live = try CountLiveSessions().read(view.view, in: tx).count
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        var preview = Preview(
            "kick-out.everyone-title",
            [
                .live(try CountLiveSessions().read(view.view, in: tx)), "kick-out.everyone-what",
                "kick-out.everyone-login", "kick-out.everyone-load",
            ], undo: "kick-out.undo")
        preview.isDangerous = true
        preview.playerReads = Preview.readings(message)
        preview.typed = String(live)
        return preview
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await KickOut(user: nil, message: message).perform(work)
    }
}
