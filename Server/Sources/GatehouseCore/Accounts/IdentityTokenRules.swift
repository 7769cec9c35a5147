import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Stores tokens of identity providers beyond a login, and what the providers reported about the person. Both are encrypted. Game
/// servers can read the profile (INFO-4), unless the operator has disabled that; the tokens are needed for revoking them (WITHDRAW-1,
/// MAP-8).
enum IdentityTokenRules {
    static func keep(
        _ identity: VerifiedIdentity, of user: UserID, session: SessionID, _ change: Change, in tx: Draft
    ) throws {
        guard var tokens = identity.tokens else { return }
        let provider = identity.key.provider
        // A login attempt or a ticket may contain a profile from before the operator disabled profiles.
        if !(change.app.providers[provider]?.keepsProfiles ?? false) { tokens.forgetProfile() }
        try keepEarlier(in: &tokens, of: user, provider, change, in: tx)
        guard tokens.profile != nil || tokens.isRevocable else { return }
        let sealed = try seal(tokens, of: user, provider, app: change.app.id, vault: change.vault)
        try IdentityTokenQueries.replace(
            sealed, isRevocable: tokens.isRevocable, of: user, provider, session: session, change, in: tx)
    }

    /// A login without tokens that can be revoked, such as one with only an ID token, keeps those of an earlier login.
    private static func keepEarlier(
        in tokens: inout IdentityTokens, of user: UserID, _ provider: Provider, _ change: Change, in tx: Reader
    ) throws {
        guard tokens.revocation == .byToken, !tokens.isRevocable,
            let kept = try IdentityTokenQueries.revocableTokens(of: user, provider, app: change.app.id, in: tx),
            // A login must not fail because old tokens can no longer be read.
            let old = try? open(kept.sealed, of: user, provider, app: change.app.id, vault: change.vault),
            old.subject == tokens.subject, old.isRevocable
        else { return }
        tokens.earlier = old.revocable
    }

    /// Deletes the tokens of an identity that ends, and has the consent revoked at its provider after the commit, if the provider
    /// supports it and the app's setting or the provider's terms require it.
    static func revoke(
        _ provider: Provider, of user: UserID, at end: ConsentEnd, _ change: Change, in tx: Draft
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
        try JobRules.add(RevokeTokens(provider: provider, user: user, tokens: payload), change, in: tx)
    }

    /// What the provider reported at the member's last login with it, while a session from such a login exists that has not been
    /// continued by a login with the last provider (LOGIN-9).
    ///
    /// - Parameter asking: the caller's session, if known. Then this session itself must come from such a login.
    static func profile(
        of user: UserID, _ provider: Provider, for asking: SessionID? = nil, _ context: CallContext, vault: KeyVault,
        in tx: Reader
    ) throws -> ProviderProfile {
        let app = context.app.id
        guard let found = try MemberQueries.account(user, app: app, in: tx), !found.isGone else {
            throw Refusal(.authNotExistMember)
        }
        let account = try MemberRules.withHolds(found, in: tx)
        guard context.app.providers[provider]?.keepsProfiles ?? false,
            let mapping = account.mappings.first(where: { $0.provider == provider }),
            let kept = try IdentityTokenQueries.tokens(of: user, provider, app: app, in: tx),
            try SessionRules.sessions(of: account, loggedInWith: provider, orBy: kept, context, in: tx)
                .contains(where: { asking == nil || $0.id == asking })
        else { throw unavailable }
        let tokens = try open(kept.sealed, of: user, provider, app: app, vault: vault)
        guard let profile = tokens.profile else { throw unavailable }
        return ProviderProfile(
            provider: provider, subject: mapping.subject, profile: profile, accessToken: tokens.accessToken,
            idToken: tokens.idToken)
    }

    /// What every provider has told about a member, for an export; nil where the master key doesn't open it.
    static func profiles(
        of user: UserID, app: AppID, vault: KeyVault, in tx: Reader
    ) throws -> [(provider: Provider, profile: [String: JSONValue]?)] {
        try IdentityTokenQueries.providers(of: user, app: app, in: tx).compactMap { provider in
            guard let kept = try IdentityTokenQueries.tokens(of: user, provider, app: app, in: tx) else { return nil }
            let tokens = try? open(kept.sealed, of: user, provider, app: app, vault: vault)
            // The tokens may be kept for their revocation alone.
            if let tokens, tokens.profile == nil { return nil }
            return (provider, tokens?.profile)
        }
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
        of provider: Provider, app: AppID, after user: UserID?, limit: Int, vault: KeyVault, in tx: Reader
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
        try StoredJSON.read(
            IdentityTokens.self, from: vault.open(sealed, for: .identityTokens(provider, of: user, in: app)))
    }

    /// Deletes the tokens of an identity that now belongs to another member. They are not revoked, because that member may need them.
    static func forget(_ provider: Provider, of user: UserID, _ change: Change, in tx: Draft) throws {
        try IdentityTokenQueries.delete(of: user, provider, app: change.app.id, in: tx)
    }

    private static func seal(
        _ tokens: IdentityTokens, of user: UserID, _ provider: Provider, app: AppID, vault: KeyVault
    ) throws
        -> [UInt8]
    {
        try vault.seal(JSONWriter.bytes(of: tokens), for: .identityTokens(provider, of: user, in: app))
    }

    static func providers(of user: UserID, app: AppID, in tx: Reader) throws -> [Provider] {
        try IdentityTokenQueries.providers(of: user, app: app, in: tx)
    }
}
