public import Foundation
public import GatehouseWire

#if canImport(AuthenticationServices)
import AuthenticationServices
#endif

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Logs players in at any provider that has a login page, without the provider's library: the server builds the page's address and
/// verifies what comes back.
///
/// On Apple's systems the page comes up in an `ASWebAuthenticationSession`. On other systems it comes up in the system's browser, which
/// comes back to a port of this device (RFC 8252).
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

    #if canImport(AuthenticationServices)
    /// Makes an adapter that shows its page in an `ASWebAuthenticationSession`.
    ///
    /// - Parameter provider: any provider whose settings have ``ProviderSettings/hasBrowserLogin``.
    /// - Parameter callbackScheme: a URL scheme of the game. The operator registers `SCHEME://login` as a redirect of the app.
    public init(_ provider: Provider, callbackScheme: String) {
        self.init(provider, in: .session(callbackScheme: callbackScheme))
    }
    #else
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

#if canImport(AuthenticationServices)
extension BrowserAdapter.Browser {
    /// A page of the system's own over the game, which shares the browser's logins; after a logout from a provider that has no
    /// parameter to ask for a password, one that doesn't.
    ///
    /// - Parameter callbackScheme: the game's URL scheme. The operator's `url_scheme_ios_only` takes precedence.
    public static func session(callbackScheme: String) -> Self {
        Self { request in
            let scheme = request.settings.additionalInfo?["url_scheme_ios_only"]?.stringValue ?? callbackScheme
            let attempt = try await request.beginBrowserLogin(redirectURI: "\(scheme)://login")
            let url = try await WebAuthentication.show(
                attempt, callbackScheme: scheme, over: request.presentationAnchor)
            guard let result = BrowserAttempt.Return(url) else {
                throw AdapterError.failed(code: 0, message: "The page has come back with nothing.")
            }
            return result
        }
    }
}

@MainActor
private final class WebAuthentication: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: PresentationAnchor
    private var session: ASWebAuthenticationSession?

    private init(anchor: PresentationAnchor) {
        self.anchor = anchor
    }

    static func show(
        _ attempt: BrowserAttempt, callbackScheme: String, over anchor: PresentationAnchor?
    ) async throws -> URL {
        let context = WebAuthentication(anchor: anchor ?? PresentationAnchor())
        return try await withTaskCancellationHandler {
            try await context.show(attempt, callbackScheme: callbackScheme)
        } onCancel: {
            Task { @MainActor in context.session?.cancel() }
        }
    }

    private func show(_ attempt: BrowserAttempt, callbackScheme: String) async throws -> URL {
        try await withCheckedThrowingContinuation { continuation in
            let session = ASWebAuthenticationSession(url: attempt.url, callbackURLScheme: callbackScheme) {
                url, error in
                if let url {
                    continuation.resume(returning: url)
                } else if let error, (error as? ASWebAuthenticationSessionError)?.code != .canceledLogin {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(throwing: AdapterError.cancelled)
                }
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = attempt.isPrivate
            self.session = session
            // A session that does not start never calls its completion handler.
            if !session.start() {
                continuation.resume(throwing: AdapterError.failed(code: 0, message: "The page can't be shown."))
            }
        }
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
}
#endif
