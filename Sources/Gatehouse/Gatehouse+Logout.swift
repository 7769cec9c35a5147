import GatehouseWire

extension Gatehouse {
    /// Logs the player out on this device. The member's data stays; a guest who logs in again is the same member.
    ///
    /// The adapters' logins end too, so that the next login asks the provider again: its page requires an account and its password, by
    /// the provider's own parameter or in a private browser session. The session also ends on the server, at once or as soon as the
    /// server can be reached. The call succeeds in both cases.
    ///
    /// - Throws: 1 before ``start()``; 2 without a session; 3010 while another authentication call is in progress; 3501 when the
    ///   device's storage can't be cleared, and then the player is still logged in.
    public func logOut() async throws(AuthError) {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        // A session that was found at the start and not yet used can be ended too.
        guard let session = published.snapshot.session else { throw AuthError(.notLoggedIn) }
        do {
            // The logout is stored first, so that a game that is closed right now ends its session at the next start.
            try store.addPendingLogout(session.refreshToken)
            try noteLogout(of: Self.providers(of: session))
            try store.removeSession()
        } catch {
            throw AuthError(.authLogoutFailed, underlying: error)
        }
        signOut(.loggedOut, keeping: nil)
        await logOutAdapters()
        await endPendingLogouts()
    }

    /// The server has ended the session (LOGIN-12), and the player is told why. The stored session stays, so that the game knows the
    /// last provider, and the next start reports again why the player can't log in (LOGIN-8).
    func endSession(_ error: AuthError) {
        let notice = SessionNotice(error)
        if notice.reason == .withdrawn, let session = published.snapshot.session {
            try? noteLogout(of: Self.providers(of: session))
        }
        let standing = published.snapshot.standing
        signOut(.sessionEnded(notice), keeping: published.snapshot.session)
        // After a ban, the standing is the one that came with the error.
        if notice.ban != nil { published.update { $0.standing = standing } }
    }

    /// The player has withdrawn, so everything on this device that leads to the member is deleted.
    func endWithdrawnSession() {
        if let session = published.snapshot.session { try? noteLogout(of: Self.providers(of: session)) }
        try? store.removeSession()
        signOut(.sessionEnded(SessionNotice(reason: .withdrawn)), keeping: nil)
    }

    private func signOut(_ reason: SignedOutReason, keeping session: StoredSession?) {
        heartbeats?.cancel()
        heartbeats = nil
        published.update { $0 = .init(state: .signedOut(reason), session: session) }
    }

    /// Ends the sessions of logouts that have not reached the server yet. Each is tried once; the next start tries again.
    func endPendingLogouts() async {
        guard let tokens = try? store.pendingLogouts(), !tokens.isEmpty, let key = try? store.existingDeviceKey() else {
            return
        }
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
