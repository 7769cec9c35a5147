// A game that imports Gatehouse also sees the types of the contract, such as Member.
@_exported public import GatehouseWire

/// Manages a game's players on one device: sign-in, session and sign-out.
///
/// Create one for each app and server, start it, and follow ``states``. Instances share nothing.
public actor GatehouseClient {
    /// The version of this SDK.
    public static let version = GatehouseVersion.current

    /// What the client was created with.
    public nonisolated let configuration: Configuration
    nonisolated let published: PublishedState
    let environment: Environment
    let store: SessionStore
    let api: APIClient
    let log: Log

    var launching: LaunchingInformation?
    var isAuthenticating = false
    var startedAdapters: Set<Provider> = []
    /// Providers whose last page was shown in a private browser session.
    var privatePages: Set<Provider> = []
    /// When the last page of each provider came up, by the monotonic clock in milliseconds.
    var browserBegin: [Provider: Int64] = [:]
    /// The refresh of each session that is under way, for everyone who needs a fresh token meanwhile.
    var refreshing: [RefreshToken: Task<Result<StoredSession, AuthError>, Never>] = [:]
    var heartbeats: Task<Void, Never>?

    /// Creates a client. It does nothing until ``start()`` is called.
    ///
    /// - Parameter configuration: the app, its server, and the adapters.
    /// - Parameter environment: clocks, randomness and network. A test passes its own.
    public init(_ configuration: Configuration, environment: Environment = .live()) {
        self.configuration = configuration
        self.environment = environment
        log = Log(logger: configuration.logger)
        published = PublishedState(log)
        let storage = configuration.storage ?? Self.standardStorage(for: configuration.appID)
        store = SessionStore(
            storage: LoggedStorage(storage: storage, log: log), keyHardware: environment.keyHardware, log: log)
        api = APIClient(
            configuration: configuration, environment: environment, clock: ServerClock(environment),
            unanswered: UnansweredCalls(store: store), log: log)
    }

    deinit {
        heartbeats?.cancel()
        published.finish()
    }

    private static func standardStorage(for app: AppID) -> any SecureStorage {
        #if canImport(Security)
        KeychainStorage(appID: app.rawValue)
        #else
        FileStorage.standard(for: app.rawValue)
        #endif
    }

    /// Fetches what a game needs before anyone logs in. It may be called again, also after a failure.
    ///
    /// Nothing changes on the server. A session that is stored on the device is found, but not used yet.
    ///
    /// - Returns: the app's status, its maintenance, and the identity providers that it offers.
    /// - Throws: ``ErrorCode/invalidParameter`` (3) when ``Configuration/serverURL`` is no server's,
    ///   ``ErrorCode/socketResponseTimeout`` (101) and ``ErrorCode/socketError`` (110) when the server can't be reached,
    ///   ``ErrorCode/launchingUnregisteredApp`` (2003) for an unknown app, ``ErrorCode/serverInternalError`` (8001),
    ///   ``ErrorCode/serverInvalidResponse`` (8003).
    @discardableResult
    public func start() async throws(AuthError) -> LaunchingInformation {
        restore()
        // The server recognises a registered test device by its proof. A device without a key can't have been registered.
        let key = try? store.existingDeviceKey()
        let information = try await api.send(Endpoints.launching, Empty(), .init(key: key))
        launching = information
        await endPendingLogoutsInBackground()
        return information
    }

    private func restore() {
        guard !published.snapshot.isSignedIn else { return }
        do {
            let session = try store.session()
            published.update { snapshot in
                snapshot.session = session
                snapshot.state = session == nil ? .signedOut(.noSession) : .restoring
            }
        } catch {
            published.update { $0.state = .locked }
        }
    }

    /// The current state, then each change. Every caller gets a separate stream.
    public nonisolated var states: AsyncStream<AuthState> { published.states() }

    /// What the player may do now, then each change, such as one that a heartbeat reports. Nil until it is known.
    public nonisolated var standings: AsyncStream<Standing?> { published.standings() }

    /// The current state.
    public nonisolated var state: AuthState { published.snapshot.state }

    /// The user id of the player who is signed in.
    public nonisolated var userID: UserID? { signedIn?.member.userId }

    /// The last access token received. ``validAccessToken()`` refreshes it when needed.
    public nonisolated var accessToken: AccessToken? { signedIn?.accessToken }

    /// The identity provider of the session.
    public nonisolated var currentProvider: Provider? { signedIn?.provider }

    /// The identity provider that this device last logged in with, even when that session has ended; nil after a logout or a
    /// withdrawal.
    public nonisolated var lastProvider: Provider? { published.snapshot.session?.provider }

    /// The identity providers mapped to the member, from the last known state (MAP-9).
    public nonisolated var mappings: [Provider] { signedIn?.member.mappings.map(\.provider) ?? [] }

    /// What the player may do, as of the last login or heartbeat.
    public nonisolated var standing: Standing? { published.snapshot.standing }

    private nonisolated var signedIn: StoredSession? {
        let snapshot = published.snapshot
        return snapshot.isSignedIn ? snapshot.session : nil
    }

    func requireStart() throws(AuthError) {
        guard launching != nil else { throw AuthError(.notInitialized) }
    }

    func requireSession() throws(AuthError) -> StoredSession {
        try requireStart()
        guard let signedIn else { throw AuthError(.notLoggedIn) }
        return signedIn
    }
}
