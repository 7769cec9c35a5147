import Foundation
public import Gatehouse
public import GatehouseWire

/// An identity provider whose page the test fills in: each login brings a new credential, unless the test says otherwise.
///
/// ```swift
/// let google = ScriptedAdapter(.google)
/// google.fail(.cancelled)  // The player closes the page.
/// ```
public final class ScriptedAdapter: AuthAdapter, @unchecked Sendable {  // Everything is touched with the lock held.
    /// The identity provider that it stands for.
    public let provider: Provider
    private let lock = NSLock()
    private var starts: [(any Error)?] = []
    private var logins: [Result<Credential, any Error>] = []
    private var asked: [AdapterRequest] = []
    private var left = 0

    /// Makes an adapter for one provider.
    public init(_ provider: Provider) { self.provider = provider }

    /// Every login so far, with what the game has passed to it.
    public var requests: [AdapterRequest] { lock.withLock { asked } }

    /// How often the player has been logged out of the provider.
    public var logouts: Int { lock.withLock { left } }

    /// Scripts the next login: it brings this credential.
    public func succeed(with credential: Credential) { lock.withLock { logins.append(.success(credential)) } }

    /// Scripts the next login: it fails.
    public func fail(_ error: AdapterError) { fail(with: error) }

    /// Scripts the next login: it fails with an error of the provider's own library.
    public func fail(with error: any Error) { lock.withLock { logins.append(.failure(error)) } }

    /// Scripts the next start of the provider's library: it fails.
    public func failStart(with error: any Error) { lock.withLock { starts.append(error) } }

    /// Does nothing unless the test has scripted a failure.
    public func start(_ settings: ProviderSettings) async throws {
        let error = lock.withLock { starts.isEmpty ? nil : starts.removeFirst() }
        if let error { throw error }
    }

    /// Brings what is scripted next, or else a credential with the ID token `token-1`, then `token-2` and so on.
    public func logIn(_ request: AdapterRequest) async throws -> Credential {
        try lock.withLock {
            asked.append(request)
            guard logins.isEmpty else { return logins.removeFirst() }
            return .success(Credential(provider: provider, idToken: ProviderToken("token-\(asked.count)")))
        }.get()
    }

    /// Counts in ``logouts``.
    public func logOut() async { lock.withLock { left += 1 } }
}
