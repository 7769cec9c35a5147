import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

/// A login by a page of the system's, with a page session in the place of `ASWebAuthenticationSession`.
@Suite(.timeLimit(.minutes(1))) struct PageSessionTests {
    private struct Failed: Error {}

    /// Logs in with a page session that behaves in some way when it is started.
    private static func logIn(
        canceled: Locked<Int> = Locked(0), isPrivate: Bool = false,
        onStart: @escaping @MainActor @Sendable (_ handler: @escaping PageSession.Handler) -> Bool
    ) async throws -> Credential {
        let page = try URL(string: "https://login.example.com/page").unwrapped()
        let request = AdapterRequest(settings: ProviderSettings()) { redirectURI in
            #expect(redirectURI == "mygame://login")
            return BrowserAttempt(url: page, pageURL: page, isPrivate: isPrivate)
        }
        let browser = BrowserAdapter.Browser.session(callbackScheme: "mygame") { attempt, scheme, _, handler in
            #expect(attempt.url == page)
            #expect(attempt.isPrivate == isPrivate)
            #expect(scheme == "mygame")
            return PageSession {
                onStart(handler)
            } cancel: {
                canceled.withLock { $0 += 1 }
            }
        }
        return try await BrowserAdapter(.google, in: browser).logIn(request)
    }

    private static func back(_ query: String) throws -> URL {
        try URL(string: "mygame://login?\(query)").unwrapped()
    }

    @Test("A page comes back with the code of the login", arguments: [false, true])
    func code(isPrivate: Bool) async throws {
        let url = try Self.back("code=abc")
        let credential = try await Self.logIn(isPrivate: isPrivate) { handler in
            handler(.success(url))
            return true
        }
        #expect(credential.loginCode == ProviderToken("abc"))
    }

    @Test("A system that reports the end of a page twice ends one login once, with the first report")
    func twice() async throws {
        let url = try Self.back("code=abc")
        let credential = try await Self.logIn { handler in
            handler(.success(url))
            handler(.failure(AdapterError.cancelled))
            return true
        }
        #expect(credential.loginCode == ProviderToken("abc"))
        await #expect(throws: AdapterError.cancelled) {
            try await Self.logIn { handler in
                for _ in 0..<3 { handler(.failure(AdapterError.cancelled)) }
                return true
            }
        }
    }

    @Test("A page that is not shown and reports an error, too, ends the login once")
    func notShown() async throws {
        await #expect(throws: Failed.self) {
            try await Self.logIn { handler in
                handler(.failure(Failed()))
                return false
            }
        }
        let (handlers, continuation) = AsyncStream.makeStream(of: PageSession.Handler.self)
        await #expect(throws: AdapterError.failed(code: 0, message: "The page can't be shown.")) {
            try await Self.logIn { handler in
                continuation.yield(handler)
                return false
            }
        }
        // The report that comes after the end changes nothing.
        for await handler in handlers {
            handler(.failure(Failed()))
            break
        }
    }

    @Test("A login whose task is cancelled closes its page, and ends even if the system reports nothing")
    func cancellation() async throws {
        let canceled = Locked(0)
        let (starts, continuation) = AsyncStream.makeStream(of: Void.self)
        let login = Task {
            try await Self.logIn(canceled: canceled) { _ in
                continuation.yield()
                return true
            }
        }
        for await _ in starts { break }
        login.cancel()
        await #expect(throws: AdapterError.cancelled) { try await login.value }
        #expect(canceled.withLock { $0 } == 1)
    }

    @Test("A page that comes back with nothing has failed")
    func nothing() async throws {
        let url = try Self.back("other=1")
        await #expect(throws: AdapterError.self) {
            try await Self.logIn { handler in
                handler(.success(url))
                return true
            }
        }
    }
}
