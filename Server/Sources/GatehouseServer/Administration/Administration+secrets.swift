public import GatehouseServerWire
import GatehouseStorage
public import GatehouseWire

extension Administration {
    /// A secret key's data for operators.
    public struct SecretInformation: Sendable, Hashable {
        /// Identifies the key, but reveals nothing about it.
        public let id: String
        /// Nil for the app's own keys, which are rotated and have every scope.
        public let name: String?
        /// The scopes in the order of their declaration.
        public let scopes: [SecretKeyScope]
        public let createdAt: Moment
    }

    /// Creates an additional secret key, which is returned only here.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 bytes. Several keys may have the same name, while one replaces another.
    ///   - scopes: at least one.
    /// - Throws: 3 for another name or no scope, or when the app has 32 such keys; 2003 for an unknown app.
    public func addSecret(to id: AppID, name: String, scopes: Set<SecretKeyScope>) async throws -> SecretKey {
        try await change("app.secret-added", id) { tx, moment in
            try SecretRules.add(to: id, name: name, scopes: scopes, at: moment, random: environment.random, in: tx)
        }
    }

    /// The secret keys that are valid now, newest first.
    public func secrets(of id: AppID) async throws -> [SecretInformation] {
        try await database.read { tx in try SecretRules.secrets(of: id, in: tx) }.map { secret in
            SecretInformation(
                id: secret.id, name: secret.name, scopes: SecretKeyScope.allCases.filter(secret.scopes.contains),
                createdAt: secret.createdAt)
        }
    }

    /// Ends one secret key at once.
    ///
    /// - Throws: 3 for an id that none of the app's keys has, and for the app's only key without a name; 2003 for an unknown app.
    public func revokeSecret(_ secretID: String, of id: AppID) async throws {
        try await change("app.secret-revoked", id) { tx, moment in
            try SecretRules.revoke(secretID, of: id, at: moment, in: tx)
        }
    }
}
