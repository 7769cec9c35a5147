public import Foundation
public import GatehouseWire

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
