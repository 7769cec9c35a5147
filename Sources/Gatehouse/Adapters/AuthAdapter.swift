public import GatehouseWire

#if canImport(AuthenticationServices)
public import AuthenticationServices
/// The window that a provider's page comes up over.
public typealias PresentationAnchor = ASPresentationAnchor
#else
/// The window that a provider's page comes up over: on Apple's systems. Elsewhere pages come up in a browser of their own.
public final class PresentationAnchor: Sendable {
    public init() {}
}
#endif

/// Gets a credential from one identity provider on this device, by its page or its library. A value that conforms is
/// registered in ``Configuration/adapters``.
public protocol AuthAdapter: Sendable {
    var provider: Provider { get }

    /// The keys of ``AdapterRequest/additionalInfo`` that the adapter has a use for: a game that gives another one is warned. Nil
    /// switches the warning off, for an adapter that takes any key.
    var additionalInfoKeys: [String]? { get }

    /// Prepares what a login needs. Called once before the first login; when it throws, the login ends with 3006, and the next
    /// one tries again.
    func start(_ settings: ProviderSettings) async throws

    /// Lets the player log in at the provider.
    ///
    /// - Throws: ``AdapterError`` for what has a code of its own. Everything else ends the login with 3009, and is its detail.
    func logIn(_ request: AdapterRequest) async throws -> Credential

    /// The server has accepted a credential of this adapter: what was kept for another try may go.
    func didLogIn(with credential: Credential) async

    /// Forgets the player on this device: the next login asks the provider again. It can't fail; what it can't reach, it
    /// leaves.
    func logOut() async
}

extension AuthAdapter {
    public var additionalInfoKeys: [String]? { nil }
    public func start(_ settings: ProviderSettings) async throws {}
    public func didLogIn(with credential: Credential) async {}
    public func logOut() async {}
}

/// What a login at a provider works with.
public struct AdapterRequest: Sendable {
    /// The provider's public settings, as the app has configured them.
    public let settings: ProviderSettings
    /// What the game gave with its call; a key that it lacks comes from the settings (LOGIN-3).
    public let additionalInfo: [String: JSONValue]
    /// What the game gave to show pages over.
    public let presentationAnchor: PresentationAnchor?
    /// What else the game gave for an adapter of its own, such as a view controller.
    public internal(set) var presenter: (any Sendable)?
    private let given: [String: JSONValue]
    private let begin: BeginLogin
    /// The SDK's network.
    let send: Send

    typealias Send = @Sendable (TransportRequest) async throws -> TransportResponse
    typealias BeginLogin = @Sendable (_ redirectURI: String, _ region: String?) async throws -> BrowserAttempt

    /// - Parameter login: what stands for the server in an adapter's own tests, by the redirect.
    public init(
        settings: ProviderSettings, additionalInfo: [String: JSONValue] = [:],
        presentationAnchor: PresentationAnchor? = nil,
        browserLogin login: @escaping @Sendable (_ redirectURI: String) async throws -> BrowserAttempt = { _ in
            throw AdapterError.failed(code: 0, message: "There is no server to begin a login with.")
        }
    ) {
        self.init(settings, additionalInfo, presentationAnchor) { redirectURI, _ in try await login(redirectURI) }
    }

    init(
        _ settings: ProviderSettings, _ additionalInfo: [String: JSONValue], _ anchor: PresentationAnchor?,
        send: @escaping Send = { _ in throw AdapterError.failed(code: 0, message: "There is no network.") },
        begin: @escaping BeginLogin
    ) {
        self.settings = settings
        given = additionalInfo
        self.additionalInfo = (settings.additionalInfo ?? [:]).merging(additionalInfo) { _, own in own }
        presentationAnchor = anchor
        self.send = send
        self.begin = begin
    }

    /// The region that the game or the app has chosen (LOGIN-3).
    public var region: String? {
        [given, settings.additionalInfo ?? [:]].lazy.compactMap { values in
            (values["region"] ?? values["sub_code"])?.stringValue
        }.first
    }

    /// Has the server begin a login with a browser: where to send the player, and where the browser ends.
    ///
    /// - Parameter redirectURI: where the browser comes back to: loopback of this device, or a redirect that the operator has
    ///   named for the app.
    public func beginBrowserLogin(redirectURI: String) async throws -> BrowserAttempt {
        try await begin(redirectURI, region)
    }
}

/// What an adapter's login may end with.
public enum AdapterError: Error, Sendable, Hashable {
    /// The player closed the page: 3001.
    case cancelled
    /// The provider needs a login outside of the game first: 3203.
    case externalLoginRequired
    /// The provider or the server has refused: a word of ``ErrorReason`` says why.
    case refused(ErrorReason)
    /// The provider's library failed, with its own code and message: 3009.
    case failed(code: Int, message: String)
}
