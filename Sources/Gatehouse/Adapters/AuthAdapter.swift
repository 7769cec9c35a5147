public import GatehouseWire

#if canImport(AuthenticationServices)
public import AuthenticationServices
/// The window that a provider's page comes up over.
public typealias PresentationAnchor = ASPresentationAnchor
#else
/// The window that a provider's page comes up over, on Apple's systems. On other systems pages open in the system's browser.
public final class PresentationAnchor: Sendable {
    /// Makes a window that stands for none.
    public init() {}
}
#endif

/// Gets a credential from one identity provider on this device, by its page or its library. A value that conforms is
/// registered in ``GatehouseClient/Configuration/adapters``.
public protocol AuthAdapter: Sendable {
    /// The identity provider whose players it logs in.
    var provider: Provider { get }

    /// The keys of ``AdapterRequest/additionalInfo`` that the adapter has a use for: a game that gives another one is warned. Nil
    /// switches the warning off, for an adapter that takes any key.
    var additionalInfoKeys: [String]? { get }

    /// Prepares what a login needs. It is called once before the first login. If it throws, the login ends with
    /// ``ErrorCode/authExternalLibraryInitializationError`` (3006), and the next login calls it again.
    func start(_ settings: ProviderSettings) async throws

    /// Lets the player log in at the provider.
    ///
    /// - Throws: ``AdapterError`` for failures that have a code of their own. Any other error ends the login with
    ///   ``ErrorCode/authExternalLibraryError`` (3009) and becomes its detail.
    func logIn(_ request: AdapterRequest) async throws -> Credential

    /// The server has accepted a credential of this adapter: what was kept for another attempt can be deleted.
    func didLogIn(with credential: Credential) async

    /// Forgets the player on this device, so that the next login asks the provider again. It can't fail: it skips what it can't reach.
    func logOut() async
}

extension AuthAdapter {
    /// Nil: the adapter takes any key.
    public var additionalInfoKeys: [String]? { nil }
    /// Does nothing.
    public func start(_ settings: ProviderSettings) async throws {}
    /// Does nothing.
    public func didLogIn(with credential: Credential) async {}
    /// Does nothing.
    public func logOut() async {}
}

/// The input of a login at a provider.
public struct AdapterRequest: Sendable {
    /// The provider's public settings, as the app has configured them.
    public let settings: ProviderSettings
    /// What the game passed with its call. A missing key comes from the settings (LOGIN-3).
    public let additionalInfo: [String: JSONValue]
    /// The window that the game passed to show pages over.
    public let presentationAnchor: PresentationAnchor?
    /// Anything else that the game passed for its own adapter, such as a view controller.
    public internal(set) var presenter: (any Sendable)?
    private let given: [String: JSONValue]
    private let begin: BeginLogin
    /// The SDK's network.
    let send: Send

    typealias Send = @Sendable (TransportRequest) async throws -> TransportResponse
    typealias BeginLogin = @Sendable (_ redirectURI: String, _ region: String?) async throws -> BrowserAttempt

    /// Makes a request for an adapter's own tests.
    ///
    /// - Parameter settings: the provider's public settings.
    /// - Parameter additionalInfo: what a game passes with its call.
    /// - Parameter presentationAnchor: the window to show pages over.
    /// - Parameter login: takes the server's place in an adapter's own tests: it begins a login for a redirect.
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

    /// Asks the server to begin a login with a browser. The result says where to send the player, and where the browser ends.
    ///
    /// - Parameter redirectURI: where the browser comes back to: a loopback address of this device, or a redirect that the operator has
    ///   registered for the app.
    public func beginBrowserLogin(redirectURI: String) async throws -> BrowserAttempt {
        try await begin(redirectURI, region)
    }
}

/// The errors that an adapter's login may end with.
public enum AdapterError: Error, Sendable, Hashable {
    /// The player closed the page: ``ErrorCode/authUserCanceled`` (3001).
    case cancelled
    /// The player must first log in to the provider outside of the game: ``ErrorCode/authIDPLoginExternalAuthenticationRequired``
    /// (3203).
    case externalLoginRequired
    /// The provider or the server has refused the login. The ``ErrorReason`` says why.
    case refused(ErrorReason)
    /// The provider's library failed, with its own code and message: ``ErrorCode/authExternalLibraryError`` (3009).
    case failed(code: Int, message: String)
}
