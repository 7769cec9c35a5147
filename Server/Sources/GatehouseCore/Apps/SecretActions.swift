import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Creates a new own secret key of an app besides the newest old one. It is returned only here.
package struct RotateSecret: Action {
    package static let permission = Permission.administer

    package init() {}

    package func perform(_ work: Work) async throws -> SecretKey {
        try await work.transact { change, tx in
            let (secret, revoked) = try SecretRules.rotate(
                of: change.app.id, at: change.moment, random: change.random, in: tx)
            try change.record(.secretRotated, revoked: revoked, in: tx)
            return secret
        }
    }
}

/// Ends all of an app's own secret keys except the newest, and returns their number.
package struct RevokeOldSecrets: Action {
    package static let permission = Permission.administer

    package init() {}

    package func perform(_ work: Work) async throws -> Int {
        try await work.transact { change, tx in
            let revoked = try SecretRules.revokeOld(of: change.app.id, at: change.moment, in: tx)
            if !revoked.isEmpty { try change.record(.oldSecretsRevoked, revoked: revoked, in: tx) }
            return revoked.count
        }
    }
}

/// Creates an additional secret key, which is returned only here.
package struct AddSecret: Action {
    package static let permission = Permission.administer

    /// 1 to 64 bytes. Several keys may have the same name, while one replaces another.
    let name: String
    /// At least one.
    let scopes: Set<SecretKeyScope>

    package init(name: String, scopes: Set<SecretKeyScope>) {
        self.name = name
        self.scopes = scopes
    }

    package func perform(_ work: Work) async throws -> SecretKey {
        try await work.transact { change, tx in
            let secret = try SecretRules.add(
                to: change.app.id, name: name, scopes: scopes, at: change.moment, random: change.random, in: tx)
            try change.record(.secretAdded, in: tx)
            return secret
        }
    }
}

/// Ends one secret key at once.
package struct RevokeSecret: Action {
    package static let permission = Permission.administer

    let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try SecretRules.revoke(id, of: change.app.id, at: change.moment, in: tx)
            try change.record(.secretRevoked, revoked: [id], in: tx)
        }
    }
}

/// Lists the secret keys that are valid now, newest first.
package struct ListSecrets: Action {
    package static let permission = Permission.administer

    package init() {}

    package func perform(_ work: Work) async throws -> [AppSecret] {
        let app = work.app.id
        return try await work.services.database.read { tx in try SecretRules.secrets(of: app, in: tx) }
    }
}

/// Creates a new signing key, and returns its id.
package struct RotateSigningKey: Action {
    package static let permission = Permission.administer

    /// Whether the other keys become invalid at once, because one has leaked.
    let revokesOthers: Bool

    package init(revokesOthers: Bool) {
        self.revokesOthers = revokesOthers
    }

    package func perform(_ work: Work) async throws -> String {
        try await work.transact { change, tx in
            try AppRules.lock(change.app.id, in: tx)
            let id = try KeyRules.rotate(
                app: change.app.id, revokingOthers: revokesOthers, vault: change.vault, at: change.moment,
                random: change.random, in: tx)
            try change.record(revokesOthers ? .keysRevoked : .keyRotated, in: tx)
            return id
        }
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
    fileprivate func record(_ event: AppEvent, revoked: [String], in tx: Draft) throws {
        try record(event, revoked.isEmpty ? [:] : ["revoked": revoked.joined(separator: " ")], in: tx)
    }
}
