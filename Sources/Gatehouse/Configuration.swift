public import Foundation
public import GatehouseWire

extension ClientInformation {
    /// What the system tells without asking the player.
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
        let version = ProcessInfo.processInfo.operatingSystemVersion
        client.osVersion = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        client.language = Locale.current.language.languageCode?.identifier
        // Numbers stand for parts of the world: 001 is all of it.
        client.deviceCountryCode = Locale.current.region.map(\.identifier).flatMap { $0.count == 2 ? $0 : nil }
        client.sdkVersion = Gatehouse.version
        return client
    }
}

/// Which app this is, and where its server is.
public struct Configuration: Sendable {
    public var appID: AppID
    /// The server's URL without a path, as the operator's `public-url` has it, such as `https://login.example.com`.
    public var serverURL: URL
    /// Where the device's key and session are kept. Nil takes the platform's own: the Keychain on Apple's systems,
    /// elsewhere a file in the user's data folder that only its owner can read.
    public var storage: (any SecureStorage)?
    /// The identity providers that the game logs in with, beside `guest`: one adapter each.
    public var adapters: [any AuthAdapter] = []
    /// How long one try of a call may take, in seconds.
    public var timeoutSeconds: Double = 10
    /// How often a call is tried again after a lost connection or a time-out. A retry does nothing twice.
    public var retries = 2
    /// What the player reads, as BCP 47 tags, best first.
    public var languages: [String]

    /// Whether a login and a mapping bring along what the provider has told (INFO-2), so that it is to be had at once.
    package var bringsProviderProfiles = false

    /// What the device says of itself with a login: shown to the operator, and by the Server API. Nil says nothing.
    public var client: ClientInformation? = .current

    public init(appID: AppID, serverURL: URL, storage: (any SecureStorage)? = nil) {
        self.appID = appID
        self.serverURL = serverURL
        self.storage = storage
        languages = Locale.preferredLanguages
    }
}
