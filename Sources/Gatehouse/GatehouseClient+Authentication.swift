import GatehouseWire

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
