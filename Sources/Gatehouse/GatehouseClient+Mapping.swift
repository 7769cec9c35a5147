public import GatehouseWire

extension GatehouseClient {
    /// Maps an identity of a provider to the logged-in member, using the provider's adapter.
    ///
    /// On the server, the identity now belongs to this member. A guest's own identity ends with its first mapping: the session
    /// continues under the new provider, which becomes the last provider.
    ///
    /// - Parameter provider: the identity provider, which needs an adapter.
    /// - Parameter additionalInfo: options for the adapter. A missing key comes from the app's settings.
    /// - Parameter anchor: the window that a page comes up over, on Apple's systems.
    /// - Parameter presenter: anything else that an adapter of the game needs to show a page; it is passed on unchanged.
    /// - Returns: the member with its mappings.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2) without a login; ``ErrorCode/authAlreadyInProgress`` (3010);
    ///   ``ErrorCode/authAddMappingCannotAddGuestIDP`` (3305) for `guest`; ``ErrorCode/authNotSupportedProvider`` (3002),
    ///   ``ErrorCode/authUserCanceled`` (3001), ``ErrorCode/authExternalLibraryInitializationError`` (3006),
    ///   ``ErrorCode/authExternalLibraryError`` (3009), ``ErrorCode/authIDPLoginExternalAuthenticationRequired`` (3203) and
    ///   ``ErrorCode/invalidParameter`` (3) as at a login; ``ErrorCode/authAddMappingInvalidIDPInfo`` (3304) for a provider that the
    ///   app has not configured;
    ///   ``ErrorCode/authAddMappingFailed`` (3301) when the provider refuses; ``ErrorCode/authAddMappingAlreadyHasSameIDP`` (3303)
    ///   when the member has an identity of this provider; ``ErrorCode/authAddMappingAlreadyMappedToOtherMember`` (3302) when the
    ///   identity belongs to another member, with ``AuthError/forcingMappingTicket``; ``ErrorCode/bannedMember`` (7) when that
    ///   member is banned; ``ErrorCode/authNotPlayable`` (3701), ``ErrorCode/authInvalidGatehouseToken`` (3011),
    ///   ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001),
    ///   ``ErrorCode/serverRemoteSystemError`` (8002).
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

    /// Maps an identity with a credential that the game obtained itself. The same changes on the server as with an adapter.
    ///
    /// - Parameter credential: what the provider has issued.
    /// - Returns: the member with its mappings.
    /// - Throws: as ``addMapping(_:additionalInfo:presenting:presenter:)``, without what comes from adapters;
    ///   ``ErrorCode/authAddMappingInvalidIDPInfo`` (3304) for a credential that lacks what its provider verifies.
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
    /// - Parameter ticket: the ticket of ``AuthError/forcingMappingTicket``. It works once and for a limited time, in this session.
    /// - Returns: the member with its mappings.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2), ``ErrorCode/authAlreadyInProgress`` (3010);
    ///   ``ErrorCode/authAddMappingForciblyNotExistKey`` (3311) for a ticket that is unknown or of another session,
    ///   ``ErrorCode/authAddMappingForciblyAlreadyUsedKey`` (3312) for a used one, ``ErrorCode/authAddMappingForciblyExpiredKey``
    ///   (3313) for one that has expired, ``ErrorCode/authAddMappingForciblyDifferentIDP`` (3314) and
    ///   ``ErrorCode/authAddMappingForciblyDifferentAuthKey`` (3315) for one that does not fit;
    ///   ``ErrorCode/authAddMappingAlreadyHasSameIDP`` (3303), ``ErrorCode/bannedMember`` (7), ``ErrorCode/authNotPlayable``
    ///   (3701), ``ErrorCode/authInvalidGatehouseToken`` (3011), ``ErrorCode/socketResponseTimeout`` (101),
    ///   ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001).
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
    /// - Parameter ticket: the ticket of ``AuthError/forcingMappingTicket``. It works once and for a limited time, in this session.
    /// - Returns: the other member, its standing, and the new session.
    /// - Throws: as ``addMapping(forcing:)``, and ``ErrorCode/bannedMember`` (7) when the other member is banned.
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
    /// - Parameter provider: a mapped provider that is neither the last one nor the one of this login.
    /// - Returns: the member with its remaining mappings.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2), ``ErrorCode/authAlreadyInProgress`` (3010); ``ErrorCode/authRemoveMappingFailed``
    ///   (3401) for a provider that is not mapped; ``ErrorCode/authRemoveMappingLastMappedIDP`` (3402) for the last one;
    ///   ``ErrorCode/authRemoveMappingLoggedInIDP`` (3403) for the one that is logged in; ``ErrorCode/authInvalidGatehouseToken``
    ///   (3011), ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError``
    ///   (8001).
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
