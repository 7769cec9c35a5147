public import Foundation

extension GatehouseClient {
    /// The SDK's dependencies on the outside world: time, randomness, waiting and the network. They are closures, so that a test can
    /// replace them.
    public struct Environment: Sendable {
        /// The device's wall clock, in milliseconds since 1970. It may be wrong, so it is used only until the server's time is known.
        public var wallMilliseconds: @Sendable () -> Int64
        /// A monotonic clock in milliseconds, with an arbitrary starting point. It must go on while the device sleeps, because the server's
        /// time is counted by it.
        public var monotonicMilliseconds: @Sendable () -> Int64
        /// Random bytes of cryptographic quality.
        public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        /// Waits. Throws when the task is cancelled.
        public var sleep: @Sendable (_ seconds: Double) async throws -> Void
        /// Sends one request and waits for its answer. Throws ``TransportError``, or `CancellationError`.
        public var send: @Sendable (TransportRequest) async throws -> TransportResponse
        /// Writes a warning for the game's developer when something that the game does has no effect.
        public var warn: @Sendable (String) -> Void
        /// The hardware that keeps the device's key; nil where there is none.
        package var keyHardware: KeyHardware?
        /// Does work for which no call of the game waits. A test waits for it, so that the order of calls is certain.
        package var inBackground: @Sendable (_ work: @escaping @Sendable () async -> Void) async -> Void = { work in
            Task { await work() }
        }

        /// Makes the value from its parts.
        public init(
            wallMilliseconds: @escaping @Sendable () -> Int64, monotonicMilliseconds: @escaping @Sendable () -> Int64,
            randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void,
            send: @escaping @Sendable (TransportRequest) async throws -> TransportResponse,
            warn: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.wallMilliseconds = wallMilliseconds
            self.monotonicMilliseconds = monotonicMilliseconds
            self.randomBytes = randomBytes
            self.sleep = sleep
            self.send = send
            self.warn = warn
        }
    }
}

/// An outgoing request.
public struct TransportRequest: Sendable, Hashable {
    /// The HTTP method.
    public var method: String
    /// The URL, with scheme and host.
    public var url: URL
    /// The headers, by name.
    public var headers: [String: String]
    /// The body; nil if there is none.
    public var body: Data?
    /// How long the request may take, in seconds.
    public var timeoutSeconds: Double

    /// Makes the value from its parts.
    public init(method: String, url: URL, headers: [String: String], body: Data?, timeoutSeconds: Double) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }
}

/// A received answer, whatever its status.
public struct TransportResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The body, empty if there is none.
    public var body: Data
    /// The call's id in the server's log: the answer's header ``HeaderNames/transactionID``.
    public var transactionID: String?

    /// Makes a response from its parts.
    public init(status: Int, body: Data, transactionID: String? = nil) {
        self.status = status
        self.body = body
        self.transactionID = transactionID
    }
}

/// Why no answer came.
public enum TransportError: Error, Sendable, Hashable {
    /// No answer came in time: ``ErrorCode/socketResponseTimeout`` (101).
    case timedOut
    /// There was no connection: it was refused or reset, the host is unknown, or its certificate is not trusted:
    /// ``ErrorCode/socketError`` (110).
    case unreachable(String)
}

/// A clock that no player can set, and that goes on while the device sleeps. A clock that stands still meanwhile would take an access
/// token for fresh that has expired in a pocket. `SuspendingClock` stands still, and so does `DispatchTime`, so neither conforms.
package protocol SleepCountingClock: Clock where Duration == Swift.Duration {}

extension ContinuousClock: SleepCountingClock {}

extension SleepCountingClock {
    /// Measures the milliseconds since this call.
    func stopwatch() -> @Sendable () -> Int64 {
        let begin = now
        return {
            let (seconds, attoseconds) = begin.duration(to: now).components
            return seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
        }
    }
}
