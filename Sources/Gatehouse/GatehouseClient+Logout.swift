import GatehouseWire

extension GatehouseClient {
    /// Logs the player out on this device. The member's data stays; a guest who logs in again is the same member.
    ///
    /// The adapters' logins end too, so that the next login asks the provider again: its page asks for an account and its password
    /// again, by the provider's own parameter or in a browser session of its own. The session ends on the server too: at once, or,
    /// when the server can't be reached, as soon as it can. Either way the call succeeds.
    ///
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/notLoggedIn`` (2) without a session;
    ///   ``ErrorCode/authAlreadyInProgress`` (3010) while another authentication call is in progress;
    ///   ``ErrorCode/authLogoutFailed`` (3501) when the device's storage can't be cleared, and then the player is still logged in.
    public func logOut() async throws(AuthError) {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        // A session that was found at the start and not yet used can be ended too.
        guard let session = published.snapshot.session else { throw AuthError(.notLoggedIn) }
        do {
            try noteLogout(of: Self.providers(of: session))
            // Before the session is removed: a game that is closed in the next moment ends it at the next start.
            try store.addPendingLogout(session.refreshToken)
            try store.removeSession()
        } catch {
            // The player is still logged in: no later start may end the session.
            try? store.removePendingLogout(session.refreshToken)
            throw AuthError(.authLogoutFailed, underlying: error)
        }
        signOut(.loggedOut, keeping: nil)
        await logOutAdapters()
        await endPendingLogouts()
    }

    /// The server has ended the session (LOGIN-12), and the player is told why. The stored session stays, so that the game knows the
    /// last provider, and the next start reports again why the player can't log in (LOGIN-8).
    func endSession(_ error: AuthError) {
        var notice = SessionNotice(error)
        notice.wasTold = published.snapshot.session?.endWasTold ?? false
        if notice.reason == .withdrawn, let session = published.snapshot.session {
            try? noteLogout(of: Self.providers(of: session))
        }
        let standing = published.snapshot.standing
        signOut(.sessionEnded(notice), keeping: published.snapshot.session)
        // After a ban, the standing is the one that came with the error.
        if notice.ban != nil { published.update { $0.standing = standing } }
    }

    /// Notes that the game has been told why its session has ended, unless another one has taken its place.
    package func noteTold(_ notice: SessionNotice) {
        guard published.snapshot.end == notice, var session = published.snapshot.session else { return }
        session.endWasTold = true
        try? store.save(session)
        published.update { $0.session = session }
    }

    /// The player has withdrawn: nothing on this device leads to the member any more.
    func endWithdrawnSession() {
        if let session = published.snapshot.session { try? noteLogout(of: Self.providers(of: session)) }
        try? store.removeSession()
        signOut(.sessionEnded(SessionNotice(reason: .withdrawn)), keeping: nil)
    }

    private func signOut(_ reason: SignedOutReason, keeping session: StoredSession?) {
        heartbeats?.cancel()
        heartbeats = nil
        published.update { snapshot in
            snapshot = .init(state: .signedOut(reason), session: session)
            // What the player has withdrawn from leaves no session behind.
            if case .sessionEnded(let notice) = reason, session != nil { snapshot.end = notice }
        }
    }

    /// Ends the sessions of earlier logouts. The game's call does not wait for it.
    func endPendingLogoutsInBackground(and token: RefreshToken? = nil) async {
        guard token != nil || (try? store.pendingLogouts())?.isEmpty == false else { return }
        await environment.inBackground { [weak self] in await self?.endPendingLogouts(and: token) }
    }

    /// Ends the sessions of logouts that have not reached the server yet. Each is tried once; the next start tries again. Storage that
    /// can't be read keeps them for then.
    ///
    /// - Parameter token: the refresh token of another session to end. Nothing notes it, so it goes first: a call that is lost ends the
    ///   attempt for all others.
    func endPendingLogouts(and token: RefreshToken? = nil) async {
        let pending = (try? store.pendingLogouts()) ?? []
        let tokens = [token].compactMap(\.self) + pending
        guard !tokens.isEmpty, let key = try? store.existingDeviceKey() else { return }
        for token in tokens {
            do throws(AuthError) {
                _ = try await api.send(
                    Endpoints.logOut, Empty(), .init(key: key, token: token.secretValue), retries: 0)
            } catch {
                // A session that the server doesn't accept has already ended.
                guard error.code == .authInvalidGatehouseToken else { return }
            }
            try? store.removePendingLogout(token)
        }
    }
}
