public import GatehouseWire

/// Whether a player is signed in, as ``GatehouseClient/states`` reports it.
public enum AuthState: Sendable, Hashable {
    /// A session may be stored. ``GatehouseClient/logInWithLastProvider()`` finds out.
    case restoring
    /// The device's storage can't be read right now. This is not "signed out": try again when the device is unlocked.
    case locked
    /// Nobody is signed in.
    case signedOut(SignedOutReason)
    /// A player is signed in.
    case signedIn(Member)
    /// Signed in according to the device, but the server can't be reached.
    case offline(Member)
}

/// Why nobody is signed in.
public enum SignedOutReason: Sendable, Hashable {
    /// Nobody has signed in on this device, or not since the last logout.
    case noSession
    /// The player has logged out on this device.
    case loggedOut
    /// The session was ended by something other than the player's logout: a ban, a transfer, a withdrawal, an operator, or time.
    case sessionEnded(SessionNotice)
}

/// Why a session has ended, and what the player should read.
public struct SessionNotice: Sendable, Hashable {
    /// Why the session has ended.
    public let reason: ErrorReason
    /// A message in the player's language: the operator's own, or the server's default for a kick-out or a transfer.
    public let message: String?
    /// The ban that ended the session.
    public let ban: Ban?
    /// The identity provider whose report ended the session.
    public let provider: Provider?
    /// The code of the error that reported the end; nil when the game itself ended the session.
    package let code: ErrorCode?
    /// Whether the game has been told of this end before, at an earlier start for example.
    package internal(set) var wasTold = false

    /// Makes the value from its parts.
    public init(reason: ErrorReason, message: String? = nil, ban: Ban? = nil, provider: Provider? = nil) {
        self.init(reason: reason, message: message, ban: ban, provider: provider, code: nil)
    }

    private init(reason: ErrorReason, message: String?, ban: Ban?, provider: Provider?, code: ErrorCode?) {
        self.reason = reason
        self.message = message
        self.ban = ban
        self.provider = provider
        self.code = code
    }

    init(_ error: AuthError) {
        self.init(
            reason: error.reason ?? (error.code == .bannedMember ? .banned : .sessionUnknown),
            message: error.details.message ?? error.ban?.message, ban: error.ban,
            provider: error.details.provider, code: error.code)
    }

    /// Two calls that meet the same end of a session report equal notices, so `code` is not compared.
    public static func == (one: SessionNotice, other: SessionNotice) -> Bool {
        one.reason == other.reason && one.message == other.message && one.ban == other.ban
            && one.provider == other.provider
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(message)
        hasher.combine(ban)
        hasher.combine(provider)
    }
}

/// The state that can be read without waiting for the actor, and the listeners to its changes.
final class PublishedState: Sendable {
    struct Snapshot: Sendable {
        var state = AuthState.restoring
        var session: StoredSession?
        /// Whether the server has accepted ``session`` since the start.
        var isSignedIn = false
        var standing: Standing?
        /// What providers have issued and reported at this login. It is kept in memory with the session, and never stored on the device
        /// (LOGIN-5).
        var issued: [Provider: Issued] = [:]
        /// Why the last session has ended, until a login, a logout or a withdrawal follows: also while the state says something else,
        /// such as that the server is out of reach.
        var end: SessionNotice?

        /// Whether a session is the one that there is.
        func isSignedIn(with other: StoredSession) -> Bool {
            isSignedIn && session?.refreshToken == other.refreshToken
        }
    }

    /// The listeners to one part of the snapshot.
    private struct Listeners<Part: Sendable & Equatable>: Sendable {
        private var continuations: [Int: AsyncStream<Part>.Continuation] = [:]
        private var next = 0

        mutating func add(_ continuation: AsyncStream<Part>.Continuation) -> Int {
            next += 1
            continuations[next] = continuation
            return next
        }

        mutating func remove(_ number: Int) -> AsyncStream<Part>.Continuation? {
            continuations.removeValue(forKey: number)
        }

        func tell(_ part: Part) {
            for continuation in continuations.values { continuation.yield(part) }
        }

        mutating func removeAll() -> [AsyncStream<Part>.Continuation] {
            defer { continuations = [:] }
            return Array(continuations.values)
        }
    }

    private struct Shared {
        var snapshot = Snapshot()
        var states = Listeners<AuthState>()
        var standings = Listeners<Standing?>()
    }

    private let shared = Locked(Shared())
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    var snapshot: Snapshot { shared.withLock { $0.snapshot } }

    func update(_ change: (inout Snapshot) -> Void) {
        let changed = shared.withLock { shared -> Snapshot? in
            let before = shared.snapshot
            change(&shared.snapshot)
            if shared.snapshot.standing != before.standing { shared.standings.tell(shared.snapshot.standing) }
            guard shared.snapshot.state != before.state else { return nil }
            shared.states.tell(shared.snapshot.state)
            return shared.snapshot
        }
        // A logger may read the state, so it is called without the lock.
        guard let changed else { return }
        log(
            .info, .stateChanged,
            changed.state.logMetadata.merging(["provider": changed.session?.provider.rawValue]) { state, _ in state })
    }

    /// A stream for one listener: the current state, then each change.
    func states() -> AsyncStream<AuthState> { follow(\.states, now: \.state) }

    /// A stream of the standing for one listener. The standing is nil until it is known.
    func standings() -> AsyncStream<Standing?> { follow(\.standings, now: \.standing) }

    private func follow<Part>(
        _ listeners: any WritableKeyPath<Shared, Listeners<Part>> & Sendable, now: KeyPath<Snapshot, Part>
    ) -> AsyncStream<Part> {
        let (stream, continuation) = AsyncStream.makeStream(of: Part.self)
        let number = shared.withLock { shared in
            continuation.yield(shared.snapshot[keyPath: now])
            return shared[keyPath: listeners].add(continuation)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.shared.withLock { $0[keyPath: listeners].remove(number) }
        }
        return stream
    }

    func finish() {
        let (states, standings) = shared.withLock { ($0.states.removeAll(), $0.standings.removeAll()) }
        for listener in states { listener.finish() }
        for listener in standings { listener.finish() }
    }
}
