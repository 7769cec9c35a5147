import Foundation
public import Gatehouse
public import GatehouseWire

/// A network that returns the answers a test has scripted, in order, and records the requests. A call without a scripted answer fails
/// with a message that says so.
public final class ScriptedTransport: @unchecked Sendable {  // Everything is touched with the lock held.
    /// What happens to one request.
    public enum Step: Sendable {
        /// The server answers.
        case answer(TransportResponse)
        /// No answer comes.
        case failure(TransportError)
        /// Waits until the task is cancelled.
        case hang
    }

    private let lock = NSLock()
    private var steps: [@Sendable (TransportRequest) -> Step] = []
    private var recorded: [TransportRequest] = []

    /// Makes a network without any answer.
    public init() {}

    /// Every request so far.
    public var requests: [TransportRequest] { lock.withLock { recorded } }

    /// The number of scripted steps that have not been used yet.
    public var stepsLeft: Int { lock.withLock { steps.count } }

    /// Scripts the next step. It is made from the request when that arrives.
    public func then(_ step: @escaping @Sendable (TransportRequest) -> Step) {
        lock.withLock { steps.append(step) }
    }

    /// Scripts an answer with a value of the contract.
    public func then(_ value: some Encodable, status: Int = 200) {
        let body = (try? JSONEncoder().encode(value)) ?? Data()
        then { _ in .answer(TransportResponse(status: status, body: body)) }
    }

    /// Scripts a refusal by the server.
    public func thenRefuse(
        _ code: ErrorCode, status: Int? = nil, reason: ErrorReason? = nil, details: [String: JSONValue] = [:]
    ) {
        var details = details
        if let reason { details[ErrorDetail.reason] = .string(reason.rawValue) }
        let error = WireError(
            code: code, message: "scripted", transactionId: TransactionID("scripted"),
            details: details.isEmpty ? nil : details)
        then(ErrorEnvelope(error: error), status: status ?? code.row?.httpStatus ?? 500)
    }

    /// Scripts a failure: no answer comes.
    public func thenFail(_ error: TransportError) {
        then { _ in .failure(error) }
    }

    /// Takes the next step for a request.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let step = lock.withLock {
            recorded.append(request)
            return steps.isEmpty ? nil : steps.removeFirst()
        }
        guard let step else { throw Unscripted(method: request.method, path: request.url.path) }
        switch step(request) {
        case .answer(let response): return response
        case .failure(let error): throw error
        case .hang:
            while !Task.isCancelled { await Task.yield() }
            throw CancellationError()
        }
    }

    /// A request that the test has not expected.
    public struct Unscripted: Error, CustomStringConvertible {
        let method: String
        let path: String
        /// The method and the path of the request.
        public var description: String { "nothing is scripted for \(method) \(path)" }
    }
}

extension GatehouseClient.Environment {
    /// An environment for tests: a clock that the test moves, scripted answers, and bytes that count up, so that nothing is
    /// random and nothing repeats.
    public static func testing(clock: ManualClock, transport: ScriptedTransport) -> Self {
        let counter = Counter()
        return Self(
            wallMilliseconds: { clock.wallMilliseconds }, monotonicMilliseconds: { clock.monotonicMilliseconds },
            randomBytes: { counter.bytes($0) }, sleep: { try await clock.sleep(seconds: $0) },
            send: { try await transport.send($0) })
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
