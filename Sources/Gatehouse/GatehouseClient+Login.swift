public import GatehouseWire

extension GatehouseClient {
    /// Logs the player in with an identity provider. `guest` needs only this device.
    ///
    /// On the server, the first login of an identity creates a member, and every later one returns it. On the device, the session
    /// replaces the stored one in one step.
    ///
    /// - Parameter provider: `guest`; other providers need an adapter.
    /// - Parameter additionalInfo: options for the adapter. A missing key comes from the app's settings.
    /// - Parameter replaces: whether the login may replace the current one, which stays until the new one has succeeded (LOGIN-6).
    /// - Parameter anchor: the window that a page comes up over, on Apple's systems.
    /// - Parameter presenter: anything else that an adapter of the game needs to show a page; it is passed on unchanged.
    /// - Returns: the member, its standing, and the session.
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/authAlreadyInProgress`` (3010) while another
    ///   authentication call is in progress; ``ErrorCode/authIDPLoginFailed`` (3201) when a player is already logged in, when the
    ///   storage can't be read, and when the credential is refused; ``ErrorCode/authNotSupportedProvider`` (3002) for a provider
    ///   without an adapter; ``ErrorCode/authUserCanceled`` (3001), ``ErrorCode/authExternalLibraryInitializationError`` (3006),
    ///   ``ErrorCode/authExternalLibraryError`` (3009) and ``ErrorCode/authIDPLoginExternalAuthenticationRequired`` (3203) from the
    ///   adapter, and ``ErrorCode/invalidParameter`` (3) when the way back of its page is not registered for the app;
    ///   ``ErrorCode/authIDPLoginInvalidIDPInfo`` (3202) for a provider that the app has not configured;
    ///   ``ErrorCode/bannedMember`` (7) for a banned member, with ``AuthError/ban``; ``ErrorCode/authNotPlayable`` (3701) while the
    ///   app is not in service; ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110),
    ///   ``ErrorCode/serverInternalError`` (8001), ``ErrorCode/serverRemoteSystemError`` (8002).
    @discardableResult
    public func logIn(
        with provider: Provider, additionalInfo: [String: JSONValue] = [:], replacing replaces: Bool = false,
        presenting anchor: PresentationAnchor? = nil, presenter: (any Sendable)? = nil
    ) async throws(AuthError) -> Login {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        if !replaces { try requireSignedOut() }
        guard provider != .guest else { return try await logIn(Credential(provider: .guest)) }
        let input = AdapterInput(additionalInfo: additionalInfo, anchor: anchor, presenter: presenter)
        return try await logIn(try await credential(from: provider, input, .login))
    }

    /// Logs the player in with a credential that the game obtained itself (LOGIN-7).
    ///
    /// The same happens as with an adapter.
    ///
    /// - Parameter credential: what the provider has issued.
    /// - Parameter replaces: whether the login may replace the current one, which stays until the new one has succeeded (LOGIN-6).
    /// - Returns: the member, its standing, and the session.
    /// - Throws: as ``logIn(with:additionalInfo:replacing:presenting:presenter:)``, without what comes from adapters;
    ///   ``ErrorCode/authIDPLoginInvalidIDPInfo`` (3202) for a credential that lacks what its provider verifies.
    @discardableResult
    public func logIn(
        with credential: Credential, replacing replaces: Bool = false
    ) async throws(AuthError) -> Login {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        if !replaces { try requireSignedOut() }
        return try await logIn(credential)
    }

    func requireSignedOut() throws(AuthError) {
        guard !published.snapshot.isSignedIn else {
            throw AuthError(
                .authIDPLoginFailed, message: "You are already logged in.",
                details: ErrorDetails(reason: .alreadyLoggedIn))
        }
    }

    private func logIn(_ credential: Credential) async throws(AuthError) -> Login {
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: .authIDPLoginFailed, error) }
        let login = try await openSession(failingWith: .authIDPLoginFailed) { () async throws(AuthError) in
            try await api.send(Endpoints.logIn, credential, .init(key: key))
        }
        await didLogIn(with: credential)
        return login
    }

    /// Logs the player in with the session stored on the device, without an identity provider and without a page.
    ///
    /// On the server, the member's last login date is updated. When the server can't be reached nothing stored is lost, and the state
    /// is ``AuthState/offline(_:)``.
    ///
    /// A failure deletes nothing: ``lastProvider`` still names the provider that the game may log in with next, and the next start
    /// reports the reason again.
    ///
    /// - Returns: the member, its standing, and the session.
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/authAlreadyInProgress`` (3010) while another
    ///   authentication call is under way; ``ErrorCode/authTokenLoginInvalidLastLoggedInIDP`` (3103) when nothing is stored;
    ///   ``ErrorCode/authTokenLoginInvalidTokenInfo`` (3102) when the stored session is over; ``ErrorCode/bannedMember`` (7) for a
    ///   banned member, with ``AuthError/ban``; ``ErrorCode/authTokenLoginFailed`` (3101) for any other refusal, and, with reason
    ///   `storage_locked`, when the storage can't be read; ``ErrorCode/authNotPlayable`` (3701) while the app is not in service;
    ///   ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001).
    @discardableResult
    public func logInWithLastProvider() async throws(AuthError) -> Login {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        let stored: StoredSession
        let key: StoredKey
        do {
            guard let session = try store.session() else {
                published.update { snapshot in
                    snapshot = .init(state: .signedOut(.noSession))
                }
                throw AuthError(.authTokenLoginInvalidLastLoggedInIDP)
            }
            stored = session
            key = try store.deviceKey()
        } catch let error as AuthError {
            throw error
        } catch {
            throw reportLockedStorage(as: .authTokenLoginFailed, error)
        }
        do throws(AuthError) {
            let login = try await resume(stored, key)
            await endPendingLogoutsInBackground()
            return login
        } catch {
            publishStanding(in: error)
            throw lastProviderFailure(error, stored)
        }
    }

    /// Continues a session: the server says who the player is now, and what the player may do.
    func resume(_ session: StoredSession) async throws(AuthError) -> Login {
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: .authTokenLoginFailed, error) }
        return try await resume(session, key)
    }

    private func resume(_ session: StoredSession, _ key: StoredKey) async throws(AuthError) -> Login {
        let login = try await api.send(
            Endpoints.logInWithLastProvider, Empty(), .init(key: key, token: session.refreshToken.secretValue))
        try replaceSession(
            with: login, refreshToken: login.session.refreshToken ?? session.refreshToken, code: .authTokenLoginFailed)
        return login
    }

    private func lastProviderFailure(_ error: AuthError, _ stored: StoredSession) -> AuthError {
        switch error.code {
        case .authTokenLoginInvalidTokenInfo, .bannedMember:
            published.update { snapshot in
                snapshot.session = stored
                snapshot.isSignedIn = false
            }
            endSession(error)
            return error
        case _ where error.isNetworkError:
            published.update { snapshot in
                snapshot.session = stored
                snapshot.state = .offline(stored.member)
            }
            return error
        // Codes that say more than "failed" stay as they are.
        case .authTokenLoginFailed, .authNotPlayable, .authUserCanceled, .launchingUnregisteredApp,
            .serverInternalError, .serverInvalidResponse:
            return error
        default:
            return error.wrapped(as: .authTokenLoginFailed)
        }
    }
}

// What logins, mappings, transfers and withdrawals have in common: one call at a time, and the session that a login brings.
extension GatehouseClient {
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

    /// Allows one authentication call at a time (START-4).
    func beginAuthentication() throws(AuthError) {
        guard !isAuthenticating else { throw AuthError(.authAlreadyInProgress) }
        isAuthenticating = true
    }

    /// Makes a call that ends with a new session, which replaces the current one.
    func openSession(
        failingWith code: ErrorCode, _ call: () async throws(AuthError) -> Login
    ) async throws(AuthError) -> Login {
        let old = published.snapshot.session
        let login: Login
        do throws(AuthError) {
            login = try await call()
        } catch {
            publishStanding(in: error)
            throw error
        }
        guard let refreshToken = login.session.refreshToken else { throw AuthError(.serverInvalidResponse) }
        try replaceSession(with: login, refreshToken: refreshToken, code: code)
        // The session that was replaced is no longer needed. The server is informed when it can be reached.
        var unnoted: RefreshToken?
        if let old, old.refreshToken != refreshToken {
            do {
                try store.addPendingLogout(old.refreshToken)
            } catch {
                // What can't be noted is tried now, and only now.
                unnoted = old.refreshToken
            }
        }
        await endPendingLogoutsInBackground(and: unnoted)
        return login
    }

    /// Stores the session of a login, and makes it the current one.
    func replaceSession(
        with login: Login, refreshToken: RefreshToken, code: ErrorCode
    ) throws(AuthError) {
        let session = StoredSession(
            refreshToken: refreshToken, accessToken: login.session.accessToken,
            accessTokenExpiryDate: login.session.accessTokenExpiryDate, member: login.member, provider: login.provider)
        do { try store.save(session) } catch { throw reportLockedStorage(as: code, error) }
        published.update { snapshot in
            snapshot = .init(
                state: .signedIn(login.member), session: session, isSignedIn: true, standing: login.standing)
        }
        startHeartbeats()
    }

    /// The standing in an error is the current one, so it is published.
    func publishStanding(in error: AuthError) {
        if let standing = error.standing { published.update { $0.standing = standing } }
    }

    /// The storage can't be used right now. Nothing is deleted and no new key is made, because that would make the player a new one.
    func reportLockedStorage(as code: ErrorCode, _ cause: any Error) -> AuthError {
        if !published.snapshot.isSignedIn { published.update { $0.state = .locked } }
        return AuthError(
            code, message: "The device's storage can't be used right now.",
            details: ErrorDetails(reason: .storageLocked), underlying: cause)
    }
}
