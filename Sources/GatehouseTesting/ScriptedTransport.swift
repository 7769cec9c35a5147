import Foundation
public import Gatehouse
public import GatehouseWire

/// A network that returns the answers a test has scripted, in order, and records the requests.
///
/// ``script(_:)`` takes ready answers. A call that the script has no answer for fails with `ErrorCode.authUnknownError` (3999), whose
/// underlying error says which call it was and what was scripted instead.
public final class ScriptedTransport: @unchecked Sendable {  // Everything is touched with the lock held.
    /// What happens to one request.
    public enum Step: Sendable {
        /// An answer comes.
        case answer(TransportResponse)
        /// No answer comes.
        case failure(TransportError)
        /// Waits until the task is cancelled.
        case hang
    }

    // A script's own code runs with the lock held, and may look at the requests.
    private let lock = NSRecursiveLock()
    private var answers: [ScriptedAnswer] = []
    private var recorded: [TransportRequest] = []
    private var server = ScriptedServer()
    private var clock: ManualClock?

    /// Makes a network without any answers.
    public init() {}

    /// Every request so far.
    public var requests: [TransportRequest] { lock.withLock { recorded } }

    /// The number of scripted steps that have not been used yet.
    public var stepsLeft: Int { lock.withLock { answers.count } }

    /// Scripts the next answers, in order.
    public func script(_ answers: ScriptedAnswer...) { lock.withLock { self.answers += answers } }

    /// Scripts the next step. It is made from the request when that arrives.
    public func then(_ step: @escaping @Sendable (TransportRequest) -> Step) {
        script(ScriptedAnswer("step") { request, _ in step(request) })
    }

    /// Scripts an answer with a value of the contract.
    public func then(_ value: some Encodable, status: Int = 200) {
        let body = (try? JSONEncoder().encode(value)) ?? Data()
        then { _ in .answer(TransportResponse(status: status, body: body)) }
    }

    /// Scripts a refusal by the server.
    public func thenRefuse(
        _ code: ErrorCode, status: Int? = nil, reason: ErrorReason? = nil, details: ErrorDetails = ErrorDetails()
    ) {
        var details = details
        if let reason { details.reason = reason }
        let error = WireError(
            code: code, message: "scripted", transactionId: TransactionID("scripted"), details: details)
        then(ErrorEnvelope(error: error), status: status ?? code.row?.httpStatus ?? 500)
    }

    /// Scripts a failure: no answer comes.
    public func thenFail(_ error: TransportError) {
        then { _ in .failure(error) }
    }

    /// Records the request, and returns what is scripted next.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        switch try next(request) {
        case .answer(let response): return response
        case .failure(let error): throw error
        case .hang:
            while !Task.isCancelled { await Task.yield() }
            throw CancellationError()
        }
    }

    private func next(_ request: TransportRequest) throws -> Step {
        try lock.withLock {
            recorded.append(request)
            guard let answer = answers.first, answer.paths?.contains(ScriptedAnswer.path(request)) ?? true else {
                // The answer stays, so that a call too many does not take away the next one's.
                throw Unscripted(method: request.method, path: request.url.path, next: answers.first?.name)
            }
            answers.removeFirst()
            server.app = AppID(request.url.path.split(separator: "/").dropFirst(2).first.map(String.init) ?? "")
            server.now = ScriptedServer.beginDate + (clock?.monotonicMilliseconds ?? 0)
            return try answer.make(request, &server)
        }
    }

    /// Takes the server's time from a clock.
    func follow(_ clock: ManualClock) { lock.withLock { self.clock = clock } }

    /// A request that the test has not expected.
    public struct Unscripted: Error, CustomStringConvertible {
        let method: String
        let path: String
        /// The answer that is next, which is for another call.
        let next: String?
        /// Which call it was, and what is scripted instead.
        public var description: String {
            "nothing is scripted for \(method) \(path)" + (next.map { "; the next answer is \($0)" } ?? "")
        }
    }
}

extension GatehouseClient.Environment {
    /// An environment for tests: a clock that the test moves, scripted answers, and bytes that count up, so that nothing is
    /// random and nothing repeats.
    public static func testing(clock: ManualClock, transport: ScriptedTransport) -> Self {
        transport.follow(clock)
        let counter = Counter()
        var environment = Self(
            wallMilliseconds: { clock.wallMilliseconds }, monotonicMilliseconds: { clock.monotonicMilliseconds },
            randomBytes: { counter.bytes($0) }, sleep: { try await clock.sleep(seconds: $0) },
            send: { try await transport.send($0) })
        environment.inBackground = { work in await work() }
        return environment
    }

    private final class Counter: @unchecked Sendable {  // Everything is touched with the lock held.
        private let lock = NSLock()
        private var next: UInt64 = 0

        func bytes(_ count: Int) -> [UInt8] {
            lock.withLock {
                next += 1
                return (0..<count).map { UInt8(truncatingIfNeeded: next >> UInt64(8 * ($0 % 8))) }
            }
        }
    }
}

extension GatehouseClient {
    /// A client for a game's tests, whose server is a script:
    ///
    /// ```swift
    /// let network = ScriptedTransport()
    /// let gatehouse = GatehouseClient.testing(network)
    /// network.script(.launching(), .login())
    /// ```
    ///
    /// A lost call is not repeated by itself, so that a test need not move the clock: set
    /// `GatehouseClient.Configuration.retries` to try that. Nothing is logged.
    ///
    /// - Parameter network: the script.
    /// - Parameter storage: what the device has stored. A second client with the same storage is the game after a restart.
    /// - Parameter clock: the device's clocks, and the server's time.
    /// - Parameter adapters: the game's identity providers, such as ``ScriptedAdapter``.
    /// - Parameter configure: changes anything else of the configuration.
    public static func testing(
        _ network: ScriptedTransport, storage: MemoryStorage = MemoryStorage(), clock: ManualClock = ManualClock(),
        adapters: [any AuthAdapter] = [], configure: (inout Configuration) -> Void = { _ in }
    ) -> GatehouseClient {
        let url = URL(string: "https://login.example.com") ?? URL(fileURLWithPath: "/")
        var configuration = Configuration(appID: "game", serverURL: url, storage: storage)
        configuration.languages = ["en"]
        configuration.adapters = adapters
        configuration.retries = 0
        configuration.logger = nil
        configure(&configuration)
        return GatehouseClient(configuration, environment: .testing(clock: clock, transport: network))
    }
}
