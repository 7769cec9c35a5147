// On tvOS a session has neither a place to come up nor a browser of its own, so there is no login by page.
#if canImport(AuthenticationServices) && !os(tvOS)
import AuthenticationServices
import Foundation
import GatehouseWire

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

extension BrowserAdapter.Browser {
    /// A page of the system's own over the game, which shares the browser's logins; after a logout from a provider that has no
    /// parameter to ask for a password, one that doesn't.
    ///
    /// - Parameter callbackScheme: the game's URL scheme. The operator's `url_scheme_ios_only` takes precedence.
    public static func session(callbackScheme: String) -> Self {
        session(callbackScheme: callbackScheme, PageSession.webAuthentication)
    }
}

extension PageSession {
    /// A page in an `ASWebAuthenticationSession`.
    @MainActor
    fileprivate static func webAuthentication(
        _ attempt: BrowserAttempt, callbackScheme: String, over anchor: PresentationAnchor?,
        handler: @escaping Handler
    ) -> PageSession {
        let presenter = Presenter(anchor: anchor ?? PresentationAnchor())
        let session = ASWebAuthenticationSession(url: attempt.url, callbackURLScheme: callbackScheme) {
            @Sendable url, error in
            if let url {
                handler(.success(url))
            } else if let error, (error as? ASWebAuthenticationSessionError)?.code != .canceledLogin {
                handler(.failure(error))
            } else {
                handler(.failure(AdapterError.cancelled))
            }
        }
        session.presentationContextProvider = presenter
        session.prefersEphemeralWebBrowserSession = attempt.isPrivate
        // The session holds its presenter weakly.
        return PageSession {
            withExtendedLifetime(presenter) { session.start() }
        } cancel: {
            withExtendedLifetime(presenter) { session.cancel() }
        }
    }
}

@MainActor
private final class Presenter: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: PresentationAnchor

    init(anchor: PresentationAnchor) {
        self.anchor = anchor
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
}
#endif
