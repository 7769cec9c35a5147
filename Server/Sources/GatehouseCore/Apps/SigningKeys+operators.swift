import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Creates a new signing key, and returns its id.
package struct RotateSigningKey: OperatorAction {
    package static let about = OperatorActionAbout(
        "key.rotated", role: .owner, step: .fresh, section: "signing-keys", subject: .signingKeys)

    package init(on target: ActionTarget) {}

    package init() {}

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        Preview(
            "keys.rotate-title", ["keys.rotate-what", "keys.rotate-players", "keys.rotate-old"], undo: "keys.undo")
    }

    package func perform(_ work: Work) async throws -> String {
        try await work.rotateSigningKey(revokingOthers: false)
    }
}

/// Creates a new signing key, and ends all others with their tokens at once, because one has leaked. It returns the new one's id.
package struct ReplaceSigningKeys: OperatorAction {
    package static let about = OperatorActionAbout(
        "key.rotated-revoking", role: .owner, step: .typed, section: "signing-keys", subject: .signingKeys)

    package init(on target: ActionTarget) {}

    package init() {}

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let keys = try KeyQueries.keys(of: context.app.id, in: tx).count
        var preview = Preview(
            "keys.revoke-title",
            [
                Phrase("keys.revoke-what", ["count": .count(keys)]),
                .live(try LiveSessions(context, in: tx)),
                "keys.revoke-players", "keys.revoke-servers",
            ], undo: "keys.revoke-undo")
        preview.isDangerous = true
        preview.typed = context.app.id.rawValue
        return preview
    }

    package func perform(_ work: Work) async throws -> String {
        try await work.rotateSigningKey(revokingOthers: true)
    }
}

extension Work {
    fileprivate func rotateSigningKey(revokingOthers: Bool) async throws -> String {
        try await transact { change, tx in
            try AppRules.lock(change.app.id, in: tx)
            let id = try KeyRules.rotate(
                app: change.app.id, revokingOthers: revokingOthers, vault: change.vault, at: change.moment,
                random: change.random, in: tx)
            try change.record(revokingOthers ? .keysRevoked : .keyRotated, in: tx)
            return id
        }
    }
}
