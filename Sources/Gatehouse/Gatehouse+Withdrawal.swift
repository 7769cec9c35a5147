public import GatehouseWire

extension Gatehouse {
    /// Withdraws the member at once: its identities and personal data are deleted, its tokens at identity providers are revoked, and the
    /// same identities later log in to a new member. On this device the session and every adapter's login end.
    ///
    /// A player whose session was ended by a report of the member's only identity provider may withdraw too.
    ///
    /// - Throws: 2, 3010; 3601 when the server could not withdraw the member, and then nothing has changed; 3011, 101, 110.
    public func withdraw() async throws(AuthError) {
        if let session = revokedSession { return try await withdraw(session) }
        try await authenticating { () async throws(AuthError) in
            do throws(AuthError) {
                _ = try await authorized(Endpoints.withdraw, Empty())
                endWithdrawnSession()
            } catch {
                // An earlier attempt succeeded but its response was lost.
                guard error.reason != .withdrawn else { return endWithdrawnSession() }
                throw error.code == .serverInternalError ? error.wrapped(as: .authWithdrawFailed) : error
            }
        }
        await logOutAdapters()
    }

    /// The session that ended because the player revoked the consent at the provider.
    private var revokedSession: StoredSession? {
        guard case .signedOut(.sessionEnded(let notice)) = published.snapshot.state, notice.reason == .consentRevoked
        else { return nil }
        return published.snapshot.session
    }

    private func withdraw(_ session: StoredSession) async throws(AuthError) {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        let key: DeviceKey
        do { key = try store.deviceKey() } catch { throw locked(.authWithdrawFailed, error) }
        do throws(AuthError) {
            _ = try await api.send(
                Endpoints.withdraw, Empty(), .init(key: key, token: session.accessToken.secretValue))
        } catch {
            guard error.reason == .withdrawn else {
                throw error.code == .serverInternalError ? error.wrapped(as: .authWithdrawFailed) : error
            }
        }
        endWithdrawnSession()
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
    /// - Throws: 2, 3010; 3602 when a withdrawal is pending already; 3011, 101, 110, 8001.
    @discardableResult
    public func requestWithdrawal() async throws(AuthError) -> Member {
        try await changeWithdrawal(Endpoints.requestWithdrawal)
    }

    /// Ends the grace period. The member returns to its state before the request.
    ///
    /// - Throws: 2, 3010; 3603 when no withdrawal is pending; 3011 after its end; 101, 110, 8001.
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
