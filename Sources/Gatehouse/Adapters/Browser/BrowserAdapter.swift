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

/// A login with a browser that the server has begun.
public struct BrowserAttempt: Sendable, Hashable {
    /// The provider's page.
    public let url: URL
    /// Where a browser that has come back to loopback is redirected. The page tells the player how the login ended.
    public let pageURL: URL
    /// Whether the page belongs into a browser session that knows no earlier login: the player has logged out of this provider,
    /// which documents no parameter that makes it ask for a password.
    public let isPrivate: Bool

    /// Makes the value from its parts.
    public init(url: URL, pageURL: URL, isPrivate: Bool = false) {
        self.url = url
        self.pageURL = pageURL
        self.isPrivate = isPrivate
    }

    /// What a browser has brought back.
    struct Return: Sendable, Hashable {
        let code: ProviderToken?
        let error: String?

        /// Nil when the parameters are not those of a login.
        init?(_ parameters: [String: String]) {
            code = parameters[LoginReturn.code].map { ProviderToken($0) }
            error = parameters[LoginReturn.error]
            guard (code == nil) != (error == nil) else { return nil }
        }

        init?(_ url: URL) {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            self.init(Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first })
        }

        /// The value of the page's `outcome` parameter.
        var outcome: String {
            if code != nil { return "success" }
            return error == LoginReturn.cancelled ? "cancelled" : "failed"
        }

        func credential(_ provider: Provider) throws -> Credential {
            guard let code else {
                throw error == LoginReturn.cancelled
                    ? AdapterError.cancelled : AdapterError.refused(ErrorReason(error ?? ""))
            }
            var credential = Credential(provider: provider)
            credential.loginCode = code
            return credential
        }
    }
}

/// One login page in a window of the system's: what `ASWebAuthenticationSession` is.
package struct PageSession: Sendable {
    /// Is called with the address that the page has come back to, or with an error; ``AdapterError/cancelled`` when the player has closed the
    /// page. The system is known to call it twice, and also for a page that has not come up.
    package typealias Handler = @Sendable (Result<URL, any Error>) -> Void
    /// Prepares the page of a login, which comes back to a URL scheme.
    package typealias Make =
        @MainActor @Sendable (
            _ attempt: BrowserAttempt, _ callbackScheme: String, _ anchor: PresentationAnchor?,
            _ handler: @escaping Handler
        ) -> PageSession

    /// Shows the page. False if the system doesn't show it.
    let start: @MainActor @Sendable () -> Bool
    /// Closes the page.
    let cancel: @MainActor @Sendable () -> Void

    package init(
        start: @escaping @MainActor @Sendable () -> Bool, cancel: @escaping @MainActor @Sendable () -> Void
    ) {
        self.start = start
        self.cancel = cancel
    }

    /// Shows a page, and waits for the address that it comes back to. The first that happens counts: a call of the handler, a page that is
    /// not shown, or the end of the task.
    @MainActor
    static func show(
        _ make: @MainActor @Sendable (@escaping Handler) -> PageSession
    ) async throws -> URL {
        let shown = Locked<(session: PageSession, once: ResumeOnce<URL>)?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let once = ResumeOnce(continuation)
                let session = make { once.resume($0) }
                shown.withLock { $0 = (session, once) }
                guard !session.start() else { return }
                once.resume(.failure(AdapterError.failed(code: 0, message: "The page can't be shown.")))
            }
        } onCancel: {
            Task { @MainActor in
                guard let (session, once) = shown.withLock({ $0 }) else { return }
                session.cancel()
                // A session that the game cancels need not call its handler.
                once.resume(.failure(AdapterError.cancelled))
            }
        }
    }
}

extension BrowserAdapter.Browser {
    /// A page of the system's own over the game.
    ///
    /// - Parameter callbackScheme: the game's URL scheme. The operator's `url_scheme_ios_only` takes precedence.
    /// - Parameter make: prepares the page.
    package static func session(callbackScheme: String, _ make: @escaping PageSession.Make) -> Self {
        Self { request in
            let scheme = request.settings.additionalInfo?["url_scheme_ios_only"]?.stringValue ?? callbackScheme
            let attempt = try await request.beginBrowserLogin(redirectURI: "\(scheme)://login")
            let anchor = request.presentationAnchor
            let url = try await PageSession.show { handler in make(attempt, scheme, anchor, handler) }
            guard let result = BrowserAttempt.Return(url) else {
                throw AdapterError.failed(code: 0, message: "The page has come back with nothing.")
            }
            return result
        }
    }
}
