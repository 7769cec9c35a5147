import Foundation
public import GatehouseWire

extension GatehouseClient {
    /// An access token is refreshed when less than this is left of its lifetime.
    private static let refreshMarginMilliseconds: Int64 = 60_000

    /// An access token that the game may present to its own server, refreshed when needed. Concurrent calls share one refresh.
    ///
    /// - Returns: a token that stays valid for at least a minute.
    /// - Throws: ``ErrorCode/notInitialized`` (1) before ``start()``; ``ErrorCode/notLoggedIn`` (2) without a login;
    ///   ``ErrorCode/authInvalidGatehouseToken`` (3011) when the session is over, which signs the player out;
    ///   ``ErrorCode/socketResponseTimeout`` (101), ``ErrorCode/socketError`` (110), ``ErrorCode/serverInternalError`` (8001).
    public func validAccessToken() async throws(AuthError) -> AccessToken {
        try await freshSession(than: nil).accessToken
    }

    /// Asks the server who is signed in. Nothing changes on the server.
    ///
    /// - Returns: the member as the server has it now.
    /// - Throws: as ``validAccessToken()``.
    @discardableResult
    public func fetchMember() async throws(AuthError) -> Member {
        let session = try requireSession()
        let member = try await authorized(Endpoints.member, Empty())
        update(renewing: session) { $0.member = member }
        return member
    }

    /// Tells the server that the player is online, and fetches the player's standing. A signed-in client sends heartbeats by itself, as
    /// often as the server asks for them.
    ///
    /// - Returns: the player's standing, and when the next heartbeat is due.
    /// - Throws: as ``validAccessToken()``.
    @discardableResult
    public func sendHeartbeat() async throws(AuthError) -> Heartbeat {
        let session = try requireSession()
        let heartbeat = try await authorized(Endpoints.heartbeat, Empty())
        published.update { if $0.isSignedIn(with: session) { $0.standing = heartbeat.standing } }
        return heartbeat
    }

    /// Makes a call with the access token. If the token has expired on its way, it is refreshed and the call is made once more.
    func authorized<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request
    ) async throws(AuthError) -> Response {
        let session = try await freshSession(than: nil)
        do throws(AuthError) {
            return try await send(endpoint, request, session)
        } catch {
            guard error.code == .authInvalidGatehouseToken, error.reason == .tokenExpired else {
                handle(error, of: session)
                throw error
            }
            // Another player's token must not make this player's call.
            guard published.snapshot.isSignedIn(with: session) else { throw error }
        }
        let renewed = try await freshSession(than: session.accessToken)
        do throws(AuthError) {
            return try await send(endpoint, request, renewed)
        } catch {
            handle(error, of: renewed)
            throw error
        }
    }

    private func send<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, _ session: StoredSession
    ) async throws(AuthError) -> Response {
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw AuthError(.authUnknownError, underlying: error) }
        let response = try await api.send(
            endpoint, request, .init(key: key, token: session.accessToken.secretValue))
        published.update { snapshot in
            guard snapshot.isSignedIn(with: session), let member = snapshot.session?.member else { return }
            snapshot.state = .signedIn(member)
        }
        return response
    }

    /// Draws the consequences of a session's failed call: the session is over, or the server is out of reach. They are the
    /// session's alone: one that has taken its place meanwhile, or a logout, stays as it is.
    private func handle(_ error: AuthError, of session: StoredSession) {
        guard published.snapshot.isSignedIn(with: session) else { return }
        if error.code == .authInvalidGatehouseToken {
            publishStanding(in: error)
            endSession(error)
        } else if error.isNetworkError {
            published.update { snapshot in
                if let member = snapshot.session?.member { snapshot.state = .offline(member) }
            }
        }
    }

    /// The session, with an access token that differs from `spent` and stays valid for the given time.
    @discardableResult
    private func freshSession(
        than spent: AccessToken?, for milliseconds: Int64 = refreshMarginMilliseconds
    ) async throws(AuthError) -> StoredSession {
        let session = try requireSession()
        let isFresh = session.accessTokenExpiryDate - api.clock.now > milliseconds
        if isFresh, session.accessToken != spent { return session }
        if let refreshing = refreshing[session.refreshToken] { return try await refreshing.value.get() }
        // The refresh is everyone's who waits: it goes on when the one who began it is cancelled.
        let task = Task { await self.refresh(session) }
        refreshing[session.refreshToken] = task
        return try await task.value.get()
    }

    private func refresh(_ session: StoredSession) async -> Result<StoredSession, AuthError> {
        defer { refreshing[session.refreshToken] = nil }
        do throws(AuthError) {
            let key: StoredKey
            do { key = try store.deviceKey() } catch { throw AuthError(.authUnknownError, underlying: error) }
            let renewal = try await api.send(
                Endpoints.refreshSession, Empty(), .init(key: key, token: session.refreshToken.secretValue))
            log(
                .debug, .sessionRefreshed,
                ["secondsLeft": String((session.accessTokenExpiryDate &- api.clock.now) / 1_000)])
            return .success(
                update(renewing: session) {
                    $0.accessToken = renewal.session.accessToken
                    $0.accessTokenExpiryDate = renewal.session.accessTokenExpiryDate
                } ?? session)
        } catch {
            log(error.logLevel, .refreshFailed, error.logMetadata)
            handle(error, of: session)
            return .failure(error)
        }
    }

    /// Changes the session in memory and on the device, unless it was replaced or ended in the meantime. A device that can't store the
    /// change loses nothing, because the refresh token stays the same.
    @discardableResult
    func update(
        renewing old: StoredSession? = nil, _ change: (inout StoredSession) -> Void
    ) -> StoredSession? {
        guard var session = published.snapshot.session, published.snapshot.isSignedIn,
            old == nil || session.refreshToken == old?.refreshToken
        else { return nil }
        change(&session)
        try? store.save(session)
        published.update { snapshot in
            snapshot.session = session
            snapshot.state = .signedIn(session.member)
        }
        return session
    }

    /// Refreshes an access token that would expire before the next heartbeat, so that ``accessToken`` is always valid.
    private func refreshAhead(seconds: Int) async {
        _ = try? await freshSession(
            than: nil, for: Int64(min(max(seconds, 0), 600)) * 1_000 + Self.refreshMarginMilliseconds)
    }

    /// Sends heartbeats until the session ends or the instance is deallocated.
    func startHeartbeats() {
        heartbeats?.cancel()
        let sleep = environment.sleep
        let interval = launching?.heartbeatSeconds ?? 120
        heartbeats = Task { [weak self] in
            var seconds = interval
            while !Task.isCancelled {
                do { try await sleep(Double(max(1, seconds))) } catch { return }
                guard let self else { return }
                await self.refreshAhead(seconds: seconds)
                if let heartbeat = try? await self.sendHeartbeat() { seconds = heartbeat.nextHeartbeatSeconds }
            }
        }
    }
}

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

extension GatehouseClient {
    /// The headers that authenticate a call: a proof by this device's key, with the stored token. For tools that explore the HTTP API
    /// by hand.
    ///
    /// - Throws: ``ErrorCode/notLoggedIn`` (2) when the access needs a token and none is stored; ``ErrorCode/invalidParameter`` (3) when
    ///   the server's URL is none; ``ErrorCode/authUnknownError`` (3999) when the storage can't be read.
    @_spi(Tools) public func signedHeaders(
        method: String, path: String, access: EndpointAccess
    ) throws(AuthError) -> [String: String] {
        do {
            let token: String?
            switch access {
            case .open: return [:]
            case .deviceKey: token = nil
            case .refreshToken: token = try storedSession().refreshToken.secretValue
            case .accessToken: token = try storedSession().accessToken.secretValue
            }
            let url = try configuration.url(ofPath: path)
            let proof = Proof(method: method, url: url.absoluteString, token: token, date: api.clock.now)
            var headers = [
                HeaderNames.proof: try proof.signed(by: store.deviceKey(), randomBytes: environment.randomBytes)
            ]
            if let token { headers["Authorization"] = "\(HeaderNames.authorizationScheme) \(token)" }
            return headers
        } catch let error as AuthError {
            throw error
        } catch {
            throw AuthError(.authUnknownError, underlying: error)
        }
    }

    private func storedSession() throws -> StoredSession {
        guard let session = try store.session() else { throw AuthError(.notLoggedIn) }
        return session
    }
}
