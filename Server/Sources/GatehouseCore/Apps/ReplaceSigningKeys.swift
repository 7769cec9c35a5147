package import GatehouseStorage
import GatehouseWire

/// Creates a new signing key, and ends all others with their tokens at once, because one has leaked. It returns the new one's id.
package struct ReplaceSigningKeys: OperatorAction {
    package static let about = OperatorActionAbout(
        "key.rotated-revoking", role: .owner, step: .typed, section: "signing-keys", subject: .signingKeys)

    package init(on target: DeedTarget) {}

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let keys = try KeyQueries.keys(of: view.app, in: tx).count
        var preview = Preview(
            "keys.revoke-title",
            [
                Phrase("keys.revoke-what", ["count": .count(keys)]),
                .live(try CountLiveSessions().read(view.view, in: tx)),
                "keys.revoke-players", "keys.revoke-servers",
            ], undo: "keys.revoke-undo")
        preview.isDangerous = true
        preview.typed = view.app.rawValue
        return preview
    }

    package func perform(_ work: Work) async throws -> String {
        try await RotateSigningKey(revokesOthers: true).perform(work)
    }
}
