public import Foundation
public import GatehouseWire

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

extension ClientInformation {
    /// What the system reveals without asking the player.
    public static var current: ClientInformation {
        var client = ClientInformation()
        #if os(iOS) || os(tvOS) || os(visionOS)
        client.osCode = "IOS"
        client.storeCode = "AS"
        #elseif os(macOS)
        client.osCode = "MACOS"
        #else
        client.osCode = "LINUX"
        #endif
        client.deviceModel = DeviceModel.current
        let version = ProcessInfo.processInfo.operatingSystemVersion
        client.osVersion = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        client.language = Locale.current.language.languageCode?.identifier
        // A region may also be a number for a part of the world, such as 001 for all of it; only countries have two letters.
        client.deviceCountryCode = Locale.current.region.map(\.identifier).flatMap { $0.count == 2 ? $0 : nil }
        client.sdkVersion = GatehouseClient.version
        client.clientVersion = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        return client
    }
}

extension GatehouseClient {
    /// Which app this is, and where its server is.
    public struct Configuration: Sendable {
        /// The app's id, as the operator has created it.
        public var appID: AppID
        /// The server's URL without a path, as the operator's `public-url` has it, such as `https://login.example.com`. With a user, a path, a
        /// query, or another scheme than `http` and `https` every call fails with ``ErrorCode/invalidParameter`` (3).
        public var serverURL: URL
        /// Where the device's key and session are kept. Nil means the platform's own storage: the Keychain on Apple's systems, and
        /// elsewhere a file in the user's data folder that only its owner can read.
        public var storage: (any SecureStorage)?
        /// One adapter for each identity provider that the game logs in with, except `guest`.
        public var adapters: [any AuthAdapter] = []
        /// How long one attempt of a call may take, in seconds.
        public var timeoutSeconds: Double = 10
        /// How often a call is repeated after a lost connection or a time-out. A repeated call takes effect only once.
        public var retries = 2
        /// The languages for messages to the player, as BCP 47 tags, preferred first.
        public var languages: [String]

        /// Whether a login and a mapping bring along what the provider has told (INFO-2), so that it is to be had at once.
        package var bringsProviderProfiles = false

        /// What the device says of itself: the operator sees it with a login, the Server API shows it, and the game's status can depend on
        /// its system, store and version. Nil says nothing.
        public var client: ClientInformation? = .current

        /// Receives an entry for each thing that the SDK does; see <doc:DebugALogin>. It is called from any thread, often while a call
        /// waits for it, so it must return quickly. By default entries go to the system's log on Apple's systems, and nowhere on other
        /// systems. Nil logs nothing.
        public var logger: (@Sendable (LogEntry) -> Void)? = LogEntry.systemLogger

        /// Makes a configuration with the device's preferred languages and the defaults of everything else.
        public init(appID: AppID, serverURL: URL, storage: (any SecureStorage)? = nil) {
            self.appID = appID
            self.serverURL = serverURL
            self.storage = storage
            languages = Locale.preferredLanguages
        }

        /// The URL of a path on the server. The server's own part is in its normal form, in which the server compares it, too.
        ///
        /// - Throws: ``ErrorCode/invalidParameter`` (3) for a ``serverURL`` that is no server's.
        func url(ofPath path: String) throws(AuthError) -> URL {
            guard let origin = WebOrigin(serverURL.absoluteString), let url = URL(string: origin.text + path) else {
                throw AuthError(
                    .invalidParameter,
                    message: "The server's URL must be like https://login.example.com, and without a path.")
            }
            return url
        }
    }
}
