import Foundation
import GatehouseStorage
import GatehouseWire

/// The tokens of identity providers that must outlive a login: encrypted, and only as long as something is to be revoked with
/// them (WITHDRAW-1, MAP-8).
enum IdentityTokenRules {
    static func keep(
        _ identity: VerifiedIdentity, of user: UserID, session: SessionID, _ change: Change, in tx: Transaction
    ) throws {
        guard let tokens = identity.tokens else { return }
        let provider = identity.key.provider
        let sealed = try seal(tokens, of: user, provider, app: change.app.id, vault: change.vault)
        try IdentityTokenQueries.replace(sealed, of: user, provider, session: session, change, in: tx)
    }

    /// Deletes the tokens of an identity, and has them revoked at its provider after the commit.
    static func revoke(
        _ provider: Provider, of user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        guard let sealed = try IdentityTokenQueries.tokens(of: user, provider, app: change.app.id, in: tx) else {
            return
        }
        let tokens = try JSONDecoder().decode(
            IdentityTokens.self,
            from: Data(change.vault.open(sealed, for: purpose(user, provider, app: change.app.id))))
        try IdentityTokenQueries.delete(of: user, provider, app: change.app.id, in: tx)
        try JobRules.add(
            .revokeTokens, RevocationPayload(provider: provider, user: user, tokens: tokens), change, in: tx)
    }

    /// Deletes the tokens of an identity that belongs to another member now, which may have use for them.
    static func forget(_ provider: Provider, of user: UserID, _ change: Change, in tx: Transaction) throws {
        try IdentityTokenQueries.delete(of: user, provider, app: change.app.id, in: tx)
    }

    private static func seal(
        _ tokens: IdentityTokens, of user: UserID, _ provider: Provider, app: AppID, vault: KeyVault
    ) throws
        -> [UInt8]
    {
        try vault.seal(JSONWriter.bytes(of: tokens), for: purpose(user, provider, app: app))
    }

    static func providers(of user: UserID, app: AppID, in tx: Transaction) throws -> [Provider] {
        try IdentityTokenQueries.providers(of: user, app: app, in: tx)
    }

    private static func purpose(_ user: UserID, _ provider: Provider, app: AppID) -> String {
        "tokens of \(provider) of \(user) in \(app)"
    }
}

/// What a provider issued beside the proof of identity.
struct IdentityTokens: Sendable, Hashable, Codable {
    var accessToken: ProviderToken?
    var refreshToken: ProviderToken?
}

/// What a job needs to revoke tokens.
struct RevocationPayload: Sendable, Codable {
    let provider: Provider
    let user: UserID
    let tokens: IdentityTokens
}
