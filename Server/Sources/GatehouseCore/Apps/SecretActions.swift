import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Lists the secret keys that are valid now, newest first.
package struct ListSecrets: Action {
    package static let permission = Permission.administer

    package init() {}

    package func perform(_ work: Work) async throws -> [AppSecret] {
        let app = work.app.id
        return try await work.services.database.read { tx in try SecretRules.secrets(of: app, in: tx) }
    }
}

/// Tells whether a secret key is valid.
package struct CheckSecret: Action {
    package static let permission = Permission.administer

    let secret: SecretKey

    package init(secret: SecretKey) {
        self.secret = secret
    }

    package func perform(_ work: Work) async throws -> Bool {
        let app = work.app.id
        return try await work.services.database.read { tx in try SecretRules.secrets(of: app, in: tx) }
            .contains { $0.isHash(of: secret) }
    }
}

extension Change {
    /// Records which secret keys have ended, so that they can be ended again in a restored database (``AccessReplay``).
    func record(_ event: AppEvent, revoked: [String], in tx: Draft) throws {
        try record(event, revoked.isEmpty ? [:] : ["revoked": revoked.joined(separator: " ")], in: tx)
    }
}
