import GatehouseWire

// A provider's page remembers its own login in the browser. So the device stores which providers the player has logged out of: their
// next page requires an account and its password (LOGOUT-1, MAP-8), even after a restart.
extension GatehouseClient {
    /// The providers mapped to a session's member. A logout logs out of all of them.
    static func providers(of session: StoredSession) -> Set<Provider> {
        Set([session.provider] + session.member.mappings.map(\.provider)).subtracting([.guest])
    }

    /// Stores that the player has logged out of providers.
    func noteLogout(of providers: Set<Provider>) throws {
        guard !providers.isEmpty else { return }
        let known = try store.loggedOutProviders()
        guard !providers.isSubset(of: known) else { return }
        try store.save(loggedOut: known.union(providers))
    }

    /// Whether the next page of a provider requires the account and password. If the storage can't be read it does, because asking once
    /// too often does no harm.
    func reauthenticates(at provider: Provider) -> Bool {
        guard let providers = try? store.loggedOutProviders() else { return true }
        return providers.contains(provider)
    }

    /// The server has accepted a credential from a provider's page: the player is logged in there again, and the browser knows the
    /// person who has just given the password.
    ///
    /// A page in a private browser session has left the browser as it was, possibly with another person logged in. So that provider's
    /// pages stay private.
    func noteLogin(at provider: Provider) {
        guard !privatePages.contains(provider), let known = try? store.loggedOutProviders(), known.contains(provider)
        else { return }
        try? store.save(loggedOut: known.subtracting([provider]))
    }
}
