import GatehouseCore
public import GatehouseSecurity
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

    public func rotateSecret(of id: AppID) async throws -> SecretKey {
        try await run(RotateSecret(), on: id)
    }

    public func revokeOldSecrets(of id: AppID) async throws -> Int {
        try await run(RevokeOldSecrets(), on: id)
    }

    /// Creates an additional secret key, which is returned only here.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 bytes. Several keys may have the same name, while one replaces another.
    ///   - scopes: at least one.
    /// - Throws: 3 for another name or no scope, or when the app has 32 such keys; 2003 for an unknown app.
    public func addSecret(to id: AppID, name: String, scopes: Set<SecretKeyScope>) async throws -> SecretKey {
        try await run(AddSecret(name: name, scopes: scopes), on: id)
    }

    /// The secret keys that are valid now, newest first.
    public func secrets(of id: AppID) async throws -> [SecretInformation] {
        try await run(ListSecrets(), on: id).map { secret in
            SecretInformation(
                id: secret.id, name: secret.name, scopes: SecretKeyScope.allCases.filter(secret.scopes.contains),
                createdAt: secret.createdAt)
        }
    }

    /// Ends one secret key at once.
    ///
    /// - Throws: 3 for an id that none of the app's keys has, and for the app's only key without a name; 2003 for an unknown app.
    public func revokeSecret(_ secretID: String, of id: AppID) async throws {
        try await run(RevokeSecret(id: secretID), on: id)
    }

    /// Whether a secret key is valid.
    public func isValid(_ secret: SecretKey, of id: AppID) async throws -> Bool {
        try await run(CheckSecret(secret: secret), on: id)
    }

    /// Creates a new signing key, and returns its id.
    public func rotateKey(of id: AppID, revokingOthers: Bool) async throws -> String {
        try await run(RotateSigningKey(revokesOthers: revokingOthers), on: id)
    }
}
