import Foundation
public import GatehouseWire

/// What a provider has issued and reported at the current login, or at a later mapping.
struct Issued: Sendable {
    /// The account of the game's own credential.
    var subject: String?
    /// The game's own credential, where it has brought one.
    var accessToken: ProviderToken?
    var idToken: ProviderToken?
    /// The profile from the server.
    var profile: ProviderProfile?
}

extension GatehouseClient {
    /// What an identity provider has issued and reported about the player who is signed in, never about another player (INFO-2). It is
    /// what ``fetchProviderProfile(of:)`` last returned, or, before that, the content of the game's own credential.
    ///
    /// Nil after a logout, after the end of the session, after a login with the last provider, and for a provider that is not mapped.
    public nonisolated func providerProfile(of provider: Provider) -> ProviderProfile? {
        let snapshot = published.snapshot
        guard snapshot.isSignedIn, let issued = snapshot.issued[provider],
            let mapping = snapshot.session?.member.mappings.first(where: { $0.provider == provider })
        else { return nil }
        if var profile = issued.profile, profile.subject == mapping.subject {
            guard issued.subject == mapping.subject else { return profile }
            profile.accessToken = profile.accessToken ?? issued.accessToken
            profile.idToken = profile.idToken ?? issued.idToken
            return profile
        }
        guard issued.subject == mapping.subject, issued.accessToken != nil || issued.idToken != nil else { return nil }
        return ProviderProfile(
            provider: provider, subject: mapping.subject, profile: issued.idToken?.claims ?? [:],
            accessToken: issued.accessToken, idToken: issued.idToken)
    }

    /// Asks the server what an identity provider has issued and reported at this login, or at a later mapping. The result stays in
    /// memory as long as the session: see ``providerProfile(of:)``. Nothing changes on the server.
    ///
    /// - Parameter provider: the provider of this login, or of a later mapping.
    /// - Returns: the profile.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2) without a login; ``ErrorCode/authIDPLoginInvalidIDPInfo`` (3202) with reason
    ///   `provider_profile_unavailable` after a login with another provider or with the last one, and where the app does not keep
    ///   it; ``ErrorCode/authInvalidGatehouseToken`` (3011), ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError``
    ///   (110), ``ErrorCode/serverInternalError`` (8001).
    @discardableResult
    public func fetchProviderProfile(of provider: Provider) async throws(AuthError) -> ProviderProfile {
        let session = try requireSession()
        let profile = try await authorized(Endpoints.ownProfile, OwnProfileRequest(provider: provider))
        keep(profile, of: provider, session)
        return profile
    }

    /// Stores a profile, unless another login has replaced the session that asked for it.
    private func keep(_ profile: ProviderProfile, of provider: Provider, _ session: StoredSession) {
        published.update { snapshot in
            guard snapshot.isSignedIn(with: session) else { return }
            snapshot.issued[provider, default: Issued()].profile = profile
        }
    }

    /// Stores a credential that the server has accepted.
    func remember(_ credential: Credential) {
        guard credential.provider != .guest else { return }
        published.update { snapshot in
            guard snapshot.isSignedIn else { return }
            let mapping = snapshot.session?.member.mappings.first { $0.provider == credential.provider }
            snapshot.issued[credential.provider] = Issued(
                subject: mapping?.subject, accessToken: credential.accessToken, idToken: credential.idToken)
        }
    }

    /// Fetches the provider profile of a login or a mapping as a part of that call, if the configuration asks for it.
    ///
    /// The player waits for the profile, so there is one attempt with a short time limit. A failure has no effect, because the login
    /// itself has succeeded: the next call notices a lost network or an ended session.
    func bringProfile(of provider: Provider) async {
        guard configuration.bringsProviderProfiles, provider != .guest, let session = try? requireSession(),
            let key = try? store.deviceKey()
        else { return }
        let profile = try? await api.send(
            Endpoints.ownProfile, OwnProfileRequest(provider: provider),
            .init(key: key, token: session.accessToken.secretValue), retries: 0, timeoutSeconds: 3)
        if let profile { keep(profile, of: provider, session) }
    }

    /// Forgets what a provider has issued when its mapping is removed.
    func forgetIssued(by provider: Provider) {
        published.update { $0.issued[provider] = nil }
    }
}

extension ProviderToken {
    /// The claims of an ID token. They are not verified here, and only the game reads them.
    fileprivate var claims: [String: JSONValue]? {
        let parts = secretValue.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return nil }
        return (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)))?.objectValue
    }
}
