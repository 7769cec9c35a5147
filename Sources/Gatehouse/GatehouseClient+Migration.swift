public import GatehouseWire

extension GatehouseClient {
    /// Logs the player in with what the game's former sign-in system has left on this device.
    ///
    /// On the server, the key of this device becomes the identity of a player who was a guest there; a player with an identity provider
    /// gets a session under it. This happens once for each player: afterwards ``logInWithLastProvider()`` and logins as usual bring the
    /// same account. A token belongs to the first device that sends it.
    ///
    /// A game keeps the former library for the time of the move, asks it for a token at the first start, and calls this before it
    /// logs in as a guest.
    ///
    /// - Parameter source: the name that the operator has given to the former system.
    /// - Parameter credential: what the former library has, such as an ID token.
    /// - Parameter replacesGuest: whether a guest of at most 30 days on this device may go. An operator can restore it for a limited time.
    /// - Returns: the member, its standing, and the session, with ``Login/migrated``.
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/authAlreadyInProgress`` (3010) while another
    ///   authentication call is under way; ``ErrorCode/authIDPLoginFailed`` (3201) when a player is already logged in, when the storage
    ///   can't be read, and when the server refuses, with the reason in `details.reason`: `legacy_closed`, `legacy_unknown`,
    ///   `legacy_claimed`, `legacy_guest_exists`, `legacy_server_required`, those of a refused credential, and
    ///   `legacy_provider_required` with ``ErrorDetails/providers``; ``ErrorCode/authIDPLoginInvalidIDPInfo`` (3202) when the source's
    ///   settings are wrong; ``ErrorCode/invalidParameter`` (3) for a source that the app doesn't have;
    ///   ``ErrorCode/invalidMember`` (6) for a player who has withdrawn; ``ErrorCode/bannedMember`` (7) for a banned one, with
    ///   ``AuthError/ban``; ``ErrorCode/authNotPlayable`` (3701) while the app is not in service;
    ///   ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001),
    ///   ``ErrorCode/serverRemoteSystemError`` (8002).
    @discardableResult
    public func migrate(
        from source: String, credential: LegacyCredential, replacingGuest replacesGuest: Bool = false
    ) async throws(AuthError) -> Login {
        try requireStart()
        try beginAuthentication()
        defer { isAuthenticating = false }
        try requireSignedOut()
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: .authIDPLoginFailed, error) }
        let request = MigrationRequest(source: source, credential: credential, replaceGuest: replacesGuest ? true : nil)
        return try await openSession(failingWith: .authIDPLoginFailed) { () async throws(AuthError) in
            try await api.send(Endpoints.migrate, request, .init(key: key))
        }
    }

    /// Fetches a ticket with which the game's own server can bring the player of a former sign-in system to this device.
    ///
    /// The game sends it to its own server together with the player's former session. That server checks the session and confirms the
    /// player to Gatehouse; then ``logIn(with:replacing:)`` with ``Provider/guest`` brings the player's account here. Nothing changes on
    /// the server before that. Use it where ``migrate(from:credential:replacingGuest:)`` is refused with `legacy_server_required`.
    ///
    /// - Returns: the ticket, which counts for one player and ends after five minutes.
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/authIDPLoginFailed`` (3201) when the storage can't be read
    ///   or the proof is refused; ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110),
    ///   ``ErrorCode/serverInternalError`` (8001).
    public func fetchMigrationTicket() async throws(AuthError) -> MigrationTicket {
        try requireStart()
        let key: StoredKey
        do { key = try store.deviceKey() } catch {
            throw reportLockedStorage(as: .authIDPLoginFailed, error)
        }
        return try await api.send(Endpoints.migrationTicket, Empty(), .init(key: key))
    }
}
