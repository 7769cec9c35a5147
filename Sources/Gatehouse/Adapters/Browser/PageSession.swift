package import Foundation

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
        let shown = Locked<(session: PageSession, once: Once<URL>)?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let once = Once(continuation)
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
