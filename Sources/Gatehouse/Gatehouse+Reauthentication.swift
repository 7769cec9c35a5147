import GatehouseWire

// A provider's page remembers its own login in the browser. What the player has logged out of is noted on the device, so that the
// next page asks for an account and its password anew (LOGOUT-1, MAP-8), also after a restart.
extension Gatehouse {
    /// The providers that lead to a session's member: what a logout logs out of.
    static func providers(of session: StoredSession) -> Set<Provider> {
        Set([session.provider] + session.member.mappings.map(\.provider)).subtracting([.guest])
    }

    /// Notes that the player is out of providers.
    func noteLogout(of providers: Set<Provider>) throws {
        guard !providers.isEmpty else { return }
        let known = try store.loggedOutProviders()
        guard !providers.isSubset(of: known) else { return }
        try store.save(loggedOut: known.union(providers))
    }

    /// Whether the next page of a provider asks anew. Where that can't be read it does: a password too many does no harm.
    func reauthenticates(at provider: Provider) -> Bool {
        guard let providers = try? store.loggedOutProviders() else { return true }
        return providers.contains(provider)
    }

    /// The server has accepted what a provider's page has brought: the player is in there again, as the person who has just given
    /// the password, and the browser knows that person too.
    ///
    /// A page that came up in a browser session of its own has left the browser as it was, with whoever was logged in before:
    /// that provider's pages go on to be private.
    func noteLogin(at provider: Provider) {
        guard !privatePages.contains(provider), let known = try? store.loggedOutProviders(), known.contains(provider)
        else { return }
        try? store.save(loggedOut: known.subtracting([provider]))
    }
}
