package import GatehouseStorage
import GatehouseWire

/// Ends all of an app's own secret keys except the newest, and returns their number.
package struct RevokeOldSecrets: OperatorAction {
    package static let about = OperatorActionAbout(
        "secret.revoked-old", role: .owner, step: .typed, section: "secrets", subject: .secrets)

    package init(on target: DeedTarget) {}

    package init() {}

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let own = try SecretRules.secrets(of: view.app, in: tx).filter { $0.name == nil }
        guard let newest = own.first, own.count > 1 else {
            throw ImpossibleAction(phrase: "secrets.only", parameter: "key")
        }
        var preview = Preview(
            "secrets.revoke-old-title",
            own.dropFirst().flatMap { ended in
                [Phrase("secrets.revoke-old-what", ["id": .text(ended.label)]), ended.use(at: view.moment)]
            } + [Phrase("secrets.newest-stays", ["id": .text(newest.label)])], undo: "secrets.revoke-undo")
        preview.isDangerous = true
        // Who types it has looked at the key that ends.
        preview.typed = own[1].id
        return preview
    }

    package func perform(_ work: Work) async throws -> Int {
        try await work.transact { change, tx in
            let revoked = try SecretRules.revokeOld(of: change.app.id, at: change.moment, in: tx)
            if !revoked.isEmpty { try change.record(.oldSecretsRevoked, revoked: revoked, in: tx) }
            return revoked.count
        }
    }
}
