import Foundation
import GatehouseStorage
import GatehouseWire

/// The tokens of identity providers that must outlive a login, and what these told of the person: encrypted, for game servers that
/// ask (INFO-4), unless the operator has switched that off, and for what is to be revoked (WITHDRAW-1, MAP-8).
enum IdentityTokenRules {
    static func keep(
        _ identity: VerifiedIdentity, of user: UserID, session: SessionID, _ change: Change, in tx: Transaction
    ) throws {
        guard var tokens = identity.tokens else { return }
        let provider = identity.key.provider
        // What a login page or a ticket still holds may be older than the operator's switch.
        if !(change.app.providers[provider]?.keepsProfiles ?? false) { tokens.forgetProfile() }
        try keepEarlier(in: &tokens, of: user, provider, change, in: tx)
        guard tokens.profile != nil || tokens.isRevocable else { return }
        let sealed = try seal(tokens, of: user, provider, app: change.app.id, vault: change.vault)
        try IdentityTokenQueries.replace(sealed, of: user, provider, session: session, change, in: tx)
    }

    /// A login that brings nothing to revoke by, such as one with an ID token alone, leaves what an earlier one has brought.
    private static func keepEarlier(
        in tokens: inout IdentityTokens, of user: UserID, _ provider: Provider, _ change: Change, in tx: Transaction
    ) throws {
        guard tokens.revocation == .byToken, !tokens.isRevocable,
            let kept = try IdentityTokenQueries.tokens(of: user, provider, app: change.app.id, in: tx),
            // What can't be read any more is nothing that a login may fail of.
            let old = try? open(kept.sealed, of: user, provider, app: change.app.id, vault: change.vault),
            old.subject == tokens.subject, old.isRevocable
        else { return }
        tokens.earlier = old.revocable
    }

    /// Deletes the tokens of an identity that ends, and has the consent revoked at its provider after the commit: where the provider
    /// offers that, and as the app's setting and the provider's terms have it.
    static func revoke(
        _ provider: Provider, of user: UserID, at end: ConsentEnd, _ change: Change, in tx: Transaction
    ) throws {
        guard let stored = try IdentityTokenQueries.tokens(of: user, provider, app: change.app.id, in: tx) else {
            return
        }
        let tokens = try open(stored.sealed, of: user, provider, app: change.app.id, vault: change.vault)
        try IdentityTokenQueries.delete(of: user, provider, app: change.app.id, in: tx)
        guard tokens.isRevocable, let configuration = change.app.providers[provider],
            change.app.policy.consent.revokes(at: end, configuration.kind)
        else { return }
        var payload = IdentityTokens(subject: tokens.subject, revocation: tokens.revocation)
        payload.use(tokens.revocable)
        try JobRules.add(
            .revokeTokens, RevocationPayload(provider: provider, user: user, tokens: payload), change, in: tx)
    }

    /// What the provider told at the member's last login with it, while a session of such a login goes on that no login with the
    /// last provider has taken up (LOGIN-9).
    ///
    /// - Parameter asking: the session of who asks, where it is known: then this one must be of such a login.
    static func profile(
        of user: UserID, _ provider: Provider, for asking: SessionID? = nil, _ view: Viewpoint, vault: KeyVault,
        in tx: Transaction
    ) throws -> ProviderProfile {
        let app = view.app.id
        guard let found = try MemberQueries.account(user, app: app, in: tx), !found.isGone else {
            throw Refusal(.authNotExistMember)
        }
        let account = try MemberRules.withHolds(found, in: tx)
        guard view.app.providers[provider]?.keepsProfiles ?? false,
            let mapping = account.mappings.first(where: { $0.provider == provider }),
            let kept = try IdentityTokenQueries.tokens(of: user, provider, app: app, in: tx),
            try SessionRules.sessions(of: account, loggedInWith: provider, orBy: kept, view, in: tx)
                .contains(where: { asking == nil || $0.id == asking })
        else { throw unavailable }
        let tokens = try open(kept.sealed, of: user, provider, app: app, vault: vault)
        guard let profile = tokens.profile else { throw unavailable }
        return ProviderProfile(
            provider: provider, subject: mapping.subject, profile: profile, accessToken: tokens.accessToken,
            idToken: tokens.idToken)
    }

    private static var unavailable: Refusal {
        Refusal(
            .authIDPLoginInvalidIDPInfo,
            "No session of a login with this provider goes on, or the app keeps no profiles.",
            reason: .providerProfileUnavailable, httpStatus: 404)
    }

    /// The next rows of a provider without what game servers could ask for.
    struct Forgotten: Sendable {
        /// Those that have something to forget, with what is left to be revoked one day; nil where nothing is.
        var rows: [(kept: IdentityTokenQueries.Kept, sealed: [UInt8]?)] = []
        /// The member of the last row that was looked at; nil at the end.
        var last: UserID?
    }

    /// Looks at the next rows of a provider. It opens and seals what it reads, so that it belongs outside of a transaction that writes.
    static func forgotten(
        of provider: Provider, app: AppID, after user: UserID?, limit: Int, vault: KeyVault, in tx: Transaction
    ) throws -> Forgotten {
        let rows = try IdentityTokenQueries.all(of: provider, app: app, after: user, limit: limit, in: tx)
        var forgotten = Forgotten(last: rows.count < limit ? nil : rows.last?.user)
        for kept in rows {
            guard var tokens = try? open(kept.sealed, of: kept.user, provider, app: app, vault: vault),
                tokens.profile != nil
            else { continue }
            tokens.forgetProfile()
            let sealed = tokens.isRevocable ? try seal(tokens, of: kept.user, provider, app: app, vault: vault) : nil
            forgotten.rows.append((kept, sealed))
        }
        return forgotten
    }

    /// Writes what ``forgotten(of:app:after:limit:vault:in:)`` has left, but for rows that a login has replaced meanwhile.
    ///
    /// - Returns: false where the operator has switched the keeping on again.
    static func forget(
        _ forgotten: Forgotten, _ provider: Provider, app: AppID, in tx: Transaction
    ) throws -> Bool {
        let configuration = try IdentityProviderQueries.providers(of: app, in: tx)[provider]
        guard !(configuration?.keepsProfiles ?? false) else { return false }
        for row in forgotten.rows {
            try IdentityTokenQueries.change(row.kept, to: row.sealed, provider, app: app, in: tx)
        }
        return true
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
    /// The ID token, where nothing else was issued: for who may ask for the profile.
    var idToken: ProviderToken?
    /// What it told of the person.
    var profile: [String: JSONValue]?
    /// Whose they are at the provider, and in which of its regions.
    var subject: String?
    var region: String?
    /// The client that they were issued for.
    var clientId: String?
    /// What an earlier login has brought, where this one has brought nothing to revoke by: for that alone.
    var earlier: Revocable?
    /// What revokes them: nil where the provider offers nothing.
    var revocation: Revocation?

    enum Revocation: String, Sendable, Hashable, Codable {
        /// With one of the tokens.
        case byToken
        /// With the subject alone.
        case bySubject
    }

    /// Keeps what is to be revoked one day, and nothing else.
    mutating func forgetProfile() {
        profile = nil
        idToken = nil
    }

    /// What a consent can be revoked by.
    struct Revocable: Sendable, Hashable, Codable {
        var accessToken: ProviderToken?
        var refreshToken: ProviderToken?
        var region: String?
        var clientId: String?
    }

    var revocable: Revocable {
        guard accessToken == nil, refreshToken == nil, let earlier else {
            return Revocable(
                accessToken: accessToken, refreshToken: refreshToken, region: region, clientId: clientId)
        }
        return earlier
    }

    mutating func use(_ revocable: Revocable) {
        accessToken = revocable.accessToken
        refreshToken = revocable.refreshToken
        region = revocable.region
        clientId = revocable.clientId
    }

    var isRevocable: Bool {
        switch revocation {
        case nil: false
        case .byToken: revocable.accessToken != nil || revocable.refreshToken != nil
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

/// What a job needs to delete profiles that an operator no longer wants kept.
struct ForgetProfilesPayload: Sendable, Codable {
    let provider: Provider
    /// The member that an earlier job has reached.
    var after: UserID?
}
