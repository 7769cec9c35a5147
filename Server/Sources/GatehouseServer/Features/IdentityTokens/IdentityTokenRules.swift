import Foundation
import GatehouseStorage
import GatehouseWire

/// The tokens of identity providers that must outlive a login, and what these told of the person: encrypted, and only where
/// something is to be revoked (WITHDRAW-1, MAP-8) or the operator has said that game servers may ask (INFO-4).
enum IdentityTokenRules {
    static func keep(
        _ identity: VerifiedIdentity, of user: UserID, session: SessionID, _ change: Change, in tx: Transaction
    ) throws {
        guard let tokens = identity.tokens else { return }
        let provider = identity.key.provider
        let sealed = try seal(tokens, of: user, provider, app: change.app.id, vault: change.vault)
        try IdentityTokenQueries.replace(sealed, of: user, provider, session: session, change, in: tx)
    }

    /// Deletes the tokens of an identity, and has them revoked at its provider after the commit, where it offers that.
    static func revoke(
        _ provider: Provider, of user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        guard let stored = try IdentityTokenQueries.tokens(of: user, provider, app: change.app.id, in: tx) else {
            return
        }
        var tokens = try open(stored.sealed, of: user, provider, app: change.app.id, vault: change.vault)
        try IdentityTokenQueries.delete(of: user, provider, app: change.app.id, in: tx)
        guard tokens.isRevocable, change.app.providers[provider] != nil else { return }
        tokens.profile = nil
        try JobRules.add(
            .revokeTokens, RevocationPayload(provider: provider, user: user, tokens: tokens), change, in: tx)
    }

    /// What the provider told at the member's last login: after another login, and after one with the last provider, it is not to
    /// be had (LOGIN-9).
    static func profile(
        of user: UserID, _ provider: Provider, app: App, vault: KeyVault, in tx: Transaction
    ) throws -> ProviderProfile {
        guard let account = try MemberQueries.account(user, app: app.id, in: tx), !account.isGone else {
            throw Refusal(.authNotExistMember)
        }
        guard let mapping = account.mappings.first(where: { $0.provider == provider }),
            let stored = try IdentityTokenQueries.tokens(of: user, provider, app: app.id, in: tx),
            stored.updatedAt.milliseconds >= account.lastLoginDate
        else { throw unavailable }
        let tokens = try open(stored.sealed, of: user, provider, app: app.id, vault: vault)
        guard let profile = tokens.profile else { throw unavailable }
        return ProviderProfile(
            provider: provider, subject: mapping.subject, profile: profile, accessToken: tokens.accessToken)
    }

    private static var unavailable: Refusal {
        Refusal(
            .authIDPLoginInvalidIDPInfo,
            "The member's last login was not with this provider, or the app does not keep profiles.",
            reason: .providerProfileUnavailable, httpStatus: 404)
    }

    private static func open(
        _ sealed: [UInt8], of user: UserID, _ provider: Provider, app: AppID, vault: KeyVault
    ) throws -> IdentityTokens {
        try JSONDecoder().decode(
            IdentityTokens.self, from: Data(vault.open(sealed, for: .identityTokens(provider, of: user, in: app))))
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
        try vault.seal(JSONWriter.bytes(of: tokens), for: .identityTokens(provider, of: user, in: app))
    }

    static func providers(of user: UserID, app: AppID, in tx: Transaction) throws -> [Provider] {
        try IdentityTokenQueries.providers(of: user, app: app, in: tx)
    }
}

/// What a provider issued beside the proof of identity.
struct IdentityTokens: Sendable, Hashable, Codable {
    var accessToken: ProviderToken?
    var refreshToken: ProviderToken?
    /// What it told of the person.
    var profile: [String: JSONValue]?
    /// Whose they are at the provider, and in which of its regions.
    var subject: String?
    var region: String?
    /// The client that they were issued for.
    var clientId: String?
    /// What revokes them: nil where the provider offers nothing.
    var revocation: Revocation?

    enum Revocation: String, Sendable, Hashable, Codable {
        /// With one of the tokens.
        case byToken
        /// With the subject alone.
        case bySubject
    }

    var isRevocable: Bool {
        switch revocation {
        case nil: false
        case .byToken: accessToken != nil || refreshToken != nil
        case .bySubject: subject != nil
        }
    }
}

/// What a job needs to revoke tokens.
struct RevocationPayload: Sendable, Codable {
    let provider: Provider
    let user: UserID
    let tokens: IdentityTokens
}
