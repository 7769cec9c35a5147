package import GatehouseStorage
import GatehouseWire

/// Ends one secret key at once.
package struct RevokeSecret: OperatorAction {
    package static let about = OperatorActionAbout(
        "secret.revoked", role: .owner, step: .typed, section: "secrets", subject: .secrets)
    package static let inputs: [Input<Self>] = [
        Input { action, values, _ in action.id = values.text("key") ?? "" }
    ]

    /// Its ``AppSecret/id``.
    var id = ""

    package init(on target: DeedTarget) {}

    package init(id: String) {
        self.id = id
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let secrets = try SecretRules.secrets(of: view.app, in: tx)
        guard let secret = secrets.first(where: { $0.id == id }) else {
            throw ImpossibleAction(phrase: "secrets.unknown", parameter: "key")
        }
        let own = secrets.filter { $0.name == nil }
        guard secret.name != nil || own.count > 1 else {
            throw ImpossibleAction(phrase: "secrets.only", parameter: "key")
        }
        var preview = Preview(
            Phrase("secrets.revoke-title", ["id": .text(secret.label), "name": .phrase(secret.title(among: own))]),
            ["secrets.revoke-what", secret.use(at: view.moment)], undo: "secrets.revoke-undo")
        preview.isDangerous = true
        preview.typed = secret.id
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try SecretRules.revoke(id, of: change.app.id, at: change.moment, in: tx)
            try change.record(.secretRevoked, revoked: [id], in: tx)
        }
    }
}
