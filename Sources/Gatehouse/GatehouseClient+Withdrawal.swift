public import GatehouseWire

extension GatehouseClient {
    /// Withdraws the member at once: its identities and personal data are deleted, its tokens at identity providers are revoked, and the
    /// same identities later log in to a new member. On this device the session and every adapter's login end.
    ///
    /// A player whose session was ended by a report of the member's only identity provider may withdraw too.
    ///
    /// - Throws: ``ErrorCode/notLoggedIn`` (2), ``ErrorCode/authAlreadyInProgress`` (3010); ``ErrorCode/authWithdrawFailed`` (3601)
    ///   when the server could not withdraw the member, and then nothing has changed; ``ErrorCode/authInvalidGatehouseToken``
    ///   (3011), ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110).
    public func withdraw() async throws(AuthError) {
        if let session = revokedSession { return try await withdraw(session) }
        try await authenticating { () async throws(AuthError) in
            try await endWithWithdrawal { () async throws(AuthError) in
                try await authorized(Endpoints.withdraw, Empty())
            }
        }
        await logOutAdapters()
    }

    /// Makes the call that withdraws, and ends the session here when it has succeeded.
    private func endWithWithdrawal(_ call: () async throws(AuthError) -> Empty) async throws(AuthError) {
        do throws(AuthError) {
            _ = try await call()
        } catch {
            // The answer to an earlier try may have got lost: it is done then.
            guard error.reason == .withdrawn else {
                throw error.code == .serverInternalError ? error.wrapped(as: .authWithdrawFailed) : error
            }
        }
        endWithdrawnSession()
    }

    /// The session of a player who has turned away at its provider: it has ended, and is good for a withdrawal.
    private var revokedSession: StoredSession? {
        let snapshot = published.snapshot
        guard !snapshot.isSignedIn, snapshot.end?.reason == .consentRevoked else { return nil }
        return snapshot.session
    }

    private func withdraw(_ session: StoredSession) async throws(AuthError) {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: .authWithdrawFailed, error) }
        try await endWithWithdrawal { () async throws(AuthError) in
            try await api.send(
                Endpoints.withdraw, Empty(), .init(key: key, token: session.accessToken.secretValue))
        }
        await logOutAdapters()
    }

    /// Withdraws the member at once, whether or not a withdrawal is pending.
    ///
    /// - Throws: as ``withdraw()``.
    public func withdrawImmediately() async throws(AuthError) {
        try await withdraw()
    }

    /// Begins the grace period, after which the member is withdrawn automatically. The player can keep playing until then.
    ///
    /// - Returns: the member, with the end of the grace period.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2), ``ErrorCode/authAlreadyInProgress`` (3010);
    ///   ``ErrorCode/authWithdrawAlreadyTemporaryWithdraw`` (3602) when a withdrawal is pending already;
    ///   ``ErrorCode/authInvalidGatehouseToken`` (3011), ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError``
    ///   (110), ``ErrorCode/serverInternalError`` (8001).
    @discardableResult
    public func requestWithdrawal() async throws(AuthError) -> Member {
        try await changeWithdrawal(Endpoints.requestWithdrawal)
    }

    /// Ends the grace period. The member returns to its state before the request.
    ///
    /// - Returns: the member, without the pending withdrawal.
    /// - Throws: ``ErrorCode/notLoggedIn`` (2), ``ErrorCode/authAlreadyInProgress`` (3010);
    ///   ``ErrorCode/authWithdrawNotTemporaryWithdraw`` (3603) when no withdrawal is pending;
    ///   ``ErrorCode/authInvalidGatehouseToken`` (3011) after its end; ``ErrorCode/socketResponseTimeout`` (101),
    ///   ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001).
    @discardableResult
    public func cancelWithdrawal() async throws(AuthError) -> Member {
        try await changeWithdrawal(Endpoints.cancelWithdrawal)
    }

    private func changeWithdrawal(_ endpoint: Endpoint<Empty, MemberChange>) async throws(AuthError) -> Member {
        try await authenticating { () async throws(AuthError) in
            let change = try await authorized(endpoint, Empty())
            update { $0.member = change.member }
            published.update { $0.standing = change.standing }
            return change.member
        }
    }
}
