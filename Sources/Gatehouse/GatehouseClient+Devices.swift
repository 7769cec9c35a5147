public import GatehouseWire

extension GatehouseClient {
    /// Lists the sessions of the logged-in member: the devices that are logged in. Nothing changes on the server.
    ///
    /// - Returns: this device's session and up to a hundred others, newest first, each with its id, with what is known of the device, and
    ///   with when it began and was last used, in milliseconds since 1970.
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/notLoggedIn`` (2) without a login;
    ///   ``ErrorCode/authInvalidGatehouseToken`` (3011) when this device's session is over, which signs the player out;
    ///   ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001).
    public func fetchSessions() async throws(AuthError) -> DeviceSessions {
        try await authorized(Endpoints.sessions, Empty())
    }

    /// Logs the player out on another device.
    ///
    /// On the server, that session and its access tokens end at once. The device learns it with its next call: its state is then
    /// ``SignedOutReason/sessionEnded(_:)`` with the reason `ended_elsewhere` and a message to the player.
    ///
    /// - Parameter id: the id of another session of ``fetchSessions()``.
    /// - Throws: as ``fetchSessions()``, and ``ErrorCode/invalidParameter`` (3) with the reason `own_session` for the session of this
    ///   device, which ``logOut()`` ends, and with the reason `session_unknown` for one that the member has not, or that has ended.
    public func endSession(_ id: SessionID) async throws(AuthError) {
        _ = try await authorized(Endpoints.endSession, SessionEndRequest(sessionId: id))
    }

    /// Logs the player out on all other devices.
    ///
    /// On the server, all other sessions of the member end at once, as by ``endSession(_:)``. It succeeds too if there are none.
    ///
    /// - Throws: as ``fetchSessions()``.
    public func endOtherSessions() async throws(AuthError) {
        _ = try await authorized(Endpoints.endOtherSessions, Empty())
    }
}
