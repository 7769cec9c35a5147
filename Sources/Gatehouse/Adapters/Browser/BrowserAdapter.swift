public import Foundation
public import GatehouseWire

/// Logs players in at any provider that has a login page, without the provider's library: the server builds the page's address and
/// verifies what comes back.
///
/// On Apple's systems the page comes up in an `ASWebAuthenticationSession`. On other systems it comes up in the system's browser, which
/// comes back to a port of this device (RFC 8252). tvOS has no browser, and no page comes up there: a game offers another way to log in.
public struct BrowserAdapter: AuthAdapter {
    /// How a page is shown.
    public struct Browser: Sendable {
        /// Shows the page of a login, and returns what the browser brings back. It throws ``AdapterError/cancelled`` when the player
        /// closes the page.
        let show: @Sendable (AdapterRequest) async throws -> BrowserAttempt.Return
    }

    /// The identity provider whose page it shows.
    public let provider: Provider
    private let browser: Browser

    /// Makes an adapter that shows its page in a given browser.
    ///
    /// - Parameter provider: any provider whose settings have ``ProviderSettings/hasBrowserLogin``.
    /// - Parameter browser: how the page is shown.
    public init(_ provider: Provider, in browser: Browser) {
        self.provider = provider
        self.browser = browser
    }

    #if canImport(AuthenticationServices) && !os(tvOS)
    /// Makes an adapter that shows its page in an `ASWebAuthenticationSession`.
    ///
    /// - Parameter provider: any provider whose settings have ``ProviderSettings/hasBrowserLogin``.
    /// - Parameter callbackScheme: a URL scheme of the game. The operator registers `SCHEME://login` as a redirect of the app.
    public init(_ provider: Provider, callbackScheme: String) {
        self.init(provider, in: .session(callbackScheme: callbackScheme))
    }
    #elseif !canImport(AuthenticationServices)
    /// Uses the system's browser.
    public init(_ provider: Provider) {
        self.init(provider, in: .system { url in try await Self.openSystemBrowser(url) })
    }

    /// Shows a page in the system's browser.
    ///
    /// - Throws: ``AdapterError/failed(code:message:)`` when the system has no browser.
    public static func openSystemBrowser(_ url: URL) async throws { try await SystemBrowser.open(url) }
    #endif

    /// Shows the provider's page, and returns the code that the browser comes back with.
    public func logIn(_ request: AdapterRequest) async throws -> Credential {
        var credential = try await browser.show(request).credential(provider)
        credential.region = request.region
        return credential
    }
}

extension BrowserAdapter.Browser {
    /// A browser that comes back to a port of this device.
    ///
    /// - Parameter timeoutSeconds: for the player. A page that is closed tells nobody: then the login ends with
    ///   ``ErrorCode/authUserCanceled`` (3001), as it does when its task is cancelled.
    /// - Parameter openPrivately: shows a page in a browser session that knows no earlier login, for providers that have no
    ///   parameter to ask for a password after a logout (LOGOUT-1), as Google. Nil where the game has no such browser: then
    ///   such a provider may let the player in as before.
    /// - Parameter open: shows a page.
    public static func system(
        timeoutSeconds: Double = 300, openPrivately: (@Sendable (URL) async throws -> Void)? = nil,
        open: @escaping @Sendable (URL) async throws -> Void
    ) -> Self {
        Self { request in
            let listener = try LoopbackListener()
            defer { listener.close() }
            let attempt = try await request.beginBrowserLogin(redirectURI: listener.redirectURI)
            let open = attempt.isPrivate ? openPrivately ?? open : open
            // A provider that knows the player sends the browser back at once. `open` may wait until the page has loaded, and the page
            // that it loads is the answer of this listener, so both must run at the same time.
            return try await withThrowingTaskGroup(of: BrowserAttempt.Return?.self) { group in
                group.addTask {
                    try await open(attempt.url)
                    return nil
                }
                group.addTask { try await listener.wait(seconds: timeoutSeconds, endingAt: attempt.pageURL) }
                defer { group.cancelAll() }
                while let result = try await group.next() {
                    if let result { return result }
                }
                throw AdapterError.cancelled
            }
        }
    }
}
