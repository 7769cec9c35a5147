public import GatehouseWire

extension GatehouseClient {
    /// Maps an identity of a provider to the logged-in member, using the provider's adapter.
    ///
    /// On the server, the identity now belongs to this member. A guest's own identity ends with its first mapping: the session
    /// continues under the new provider, which becomes the last provider.
    ///
    /// - Returns: the member with its mappings.
    /// - Throws: 2 without a login; 3010; 3305 for `guest`; 3002, 3001, 3006, 3009 and 3203 as at a login; 3304 for a provider
    ///   that the app has not configured; 3301 when the provider refuses; 3303 when the member has an identity of this
    ///   provider; 3302 when the identity belongs to another member, with ``AuthError/forcingMappingTicket``; 7 when that
    ///   member is banned; 3701, 3011, 101, 110, 8001, 8002.
    @discardableResult
    public func addMapping(
        _ provider: Provider, additionalInfo: [String: JSONValue] = [:], presenting anchor: PresentationAnchor? = nil,
        presenter: (any Sendable)? = nil
    ) async throws(AuthError) -> Member {
        try await authenticating { () async throws(AuthError) in
            guard provider != .guest else { throw AuthError(.authAddMappingCannotAddGuestIDP) }
            if let member = try await memberAfterLostAnswer(of: provider) {
                await bringProfile(of: provider)
                return member
            }
            let input = AdapterInput(additionalInfo: additionalInfo, anchor: anchor, presenter: presenter)
            let credential = try await credential(from: provider, input, .mapping)
            return try await map(credential)
        }
    }

    /// Maps an identity with a credential that the game obtained itself.
    ///
    /// - Throws: as ``addMapping(_:additionalInfo:presenting:presenter:)``, without what comes from adapters; 3304 for a
    ///   credential that lacks what its provider verifies.
    @discardableResult
    public func addMapping(_ credential: Credential) async throws(AuthError) -> Member {
        try await authenticating { () async throws(AuthError) in try await map(credential) }
    }

    private func map(_ credential: Credential) async throws(AuthError) -> Member {
        try? store.save(
            UnansweredMapping(user: requireSession().member.userId, provider: credential.provider))
        let change: MappingChange
        do throws(AuthError) {
            change = try await authorized(Endpoints.addMapping, credential)
        } catch {
            if error.domain == AuthError.serverDomain { try? store.removeUnansweredMapping() }
            // The player may want to choose another account of the provider, so its next page asks which one.
            if error.code == .authAddMappingAlreadyMappedToOtherMember, credential.loginCode != nil {
                try? noteLogout(of: [credential.provider])
            }
            throw error
        }
        try? store.removeUnansweredMapping()
        let member = apply(change)
        await didLogIn(with: credential)
        return member
    }

    /// Returns the member when this mapping was done earlier and the answer was lost (LOGIN-13). Otherwise the player would go through
    /// the provider's page a second time, only to read that the mapping already exists.
    private func memberAfterLostAnswer(of provider: Provider) async throws(AuthError) -> Member? {
        let session = try requireSession()
        let asked = UnansweredMapping(user: session.member.userId, provider: provider)
        guard (try? store.unansweredMapping()) == asked else { return nil }
        let login: Login
        do throws(AuthError) {
            login = try await resume(session)
        } catch {
            guard !error.isNetworkError else { throw error }
            // The question failed, for example because the session has ended. The mapping itself reports that, with its own code.
            try? store.removeUnansweredMapping()
            return nil
        }
        try? store.removeUnansweredMapping()
        return login.member.mappings.contains { $0.provider == provider } ? login.member : nil
    }

    /// Moves the identity of a ticket from its other member to the one that is logged in. The other member keeps its other identities.
    /// Without any left it is frozen, and for a limited time an operator can restore it.
    ///
    /// - Returns: the member with its mappings.
    /// - Throws: 2, 3010; 3311 for a ticket that is unknown or of another session, 3312 for a used one, 3313 for one that has
    ///   expired, 3314 and 3315 for one that does not fit; 3303, 7, 3701, 3011, 101, 110, 8001.
    @discardableResult
    public func addMapping(forcing ticket: ForcingMappingTicket) async throws(AuthError) -> Member {
        try await authenticating { () async throws(AuthError) in
            let member = apply(try await authorized(Endpoints.forceMapping, TicketUse(ticket)))
            noteLogin(at: ticket.provider)
            await bringProfile(of: ticket.provider)
            return member
        }
    }

    /// Logs in as the ticket's other member, with the ticket's identity, and ends the current login. If anything fails, the current
    /// login stays exactly as it is.
    ///
    /// - Throws: as ``addMapping(forcing:)``, and 7 when the other member is banned.
    @discardableResult
    public func changeLogin(with ticket: ForcingMappingTicket) async throws(AuthError) -> Login {
        try await authenticating { () async throws(AuthError) in
            let login = try await openSession(failingWith: .authIDPLoginFailed) { () async throws(AuthError) in
                try await authorized(Endpoints.changeLogin, TicketUse(ticket))
            }
            noteLogin(at: ticket.provider)
            await bringProfile(of: ticket.provider)
            return login
        }
    }

    /// Removes the mapping of a provider. Its adapter is logged out, and its next page requires an account and its password, so that
    /// another account can be mapped. The server deletes the provider's tokens, and has them revoked if the app's setting or the
    /// provider's terms require it.
    ///
    /// - Throws: 2, 3010; 3401 for a provider that is not mapped; 3402 for the last one; 3403 for the one that is logged in;
    ///   3011, 101, 110, 8001.
    @discardableResult
    public func removeMapping(_ provider: Provider) async throws(AuthError) -> Member {
        try await authenticating { () async throws(AuthError) in
            let member = apply(try await authorized(Endpoints.removeMapping, MappingRemoval(provider: provider)))
            forgetIssued(by: provider)
            try? noteLogout(of: [provider])
            await logOutAdapters(of: provider)
            return member
        }
    }

    /// Makes an authentication call of a logged-in player, one at a time.
    func authenticating<Value: Sendable>(
        _ call: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        _ = try requireSession()
        try beginAuthentication()
        defer { isAuthenticating = false }
        do throws(AuthError) {
            return try await call()
        } catch {
            publishStanding(in: error)
            throw error
        }
    }

    private func apply(_ change: MappingChange) -> Member {
        update { session in
            session.member = change.member
            session.provider = change.provider
            if let tokens = change.session {
                session.accessToken = tokens.accessToken
                session.accessTokenExpiryDate = tokens.accessTokenExpiryDate
            }
        }
        published.update { $0.standing = change.standing }
        return change.member
    }
}
