import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Liveness and readiness: whether the process is running, and whether it should receive players.
struct HealthRoutes: Sendable {
    private let readiness: Readiness
    private let pulse: DatabasePulse

    init(services: Services, readiness: Readiness) {
        self.readiness = readiness
        pulse = DatabasePulse(environment: services.environment, ping: services.ping)
    }

    func add(to router: Router<GatehouseContext>) {
        router.getOnly("/health/live") { _, _ in Self.answer("live", .ok) }
        router.getOnly("/health/ready") { _, context in
            guard !readiness.isStopping else { return Self.answer("stopping", .serviceUnavailable) }
            if let failure = await pulse.failure() {
                context.logger.warning("not ready", metadata: ["error": "\(failure)"])
                return Self.answer("database unavailable", .serviceUnavailable)
            }
            return Self.answer("ready", .ok)
        }
    }

    private static func answer(_ status: StaticString, _ code: HTTPResponse.Status) -> Response {
        Response(
            status: code, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: #"{"status":"\#(status)"}"#)))
    }
}

/// Whether the database answers. It is asked at most once a second and by one call at a time, because anybody may ask for readiness. A
/// database that hangs counts as one that fails: a load balancer must hear of it, and a connection to it may say nothing for hours.
actor DatabasePulse {
    /// The database has not answered for ``patience``.
    struct NoAnswer: Error, CustomStringConvertible {
        let description = "the database does not answer"
    }

    /// How long an answer may take, in nanoseconds.
    static let patience: UInt64 = 2_000_000_000

    private let now: @Sendable () -> UInt64
    private let pause: @Sendable (_ nanoseconds: UInt64) async throws -> Void
    private let ping: @Sendable () async throws -> Void
    /// Whether a ping is under way. One that hangs can't be cancelled, and no other is sent before it ends.
    private var isPinging = false
    /// The running question, or else its answer and until when that counts.
    private var running: Task<(any Error)?, Never>?
    private var known: (failure: (any Error)?, until: UInt64)?

    init(environment: ServerEnvironment, ping: @escaping @Sendable () async throws -> Void) {
        now = environment.monotonicNanoseconds
        pause = environment.pause
        self.ping = ping
    }

    /// Nil if the database answers.
    func failure() async -> (any Error)? {
        if let running { return await running.value }
        if let known, isPinging || now() < known.until { return known.failure }
        isPinging = true
        let task = Task { await answer() }
        running = task
        let failure = await task.value
        running = nil
        known = (failure, now() + 1_000_000_000)
        return failure
    }

    /// The outcome of a ping, or ``NoAnswer``, whichever comes first.
    private func answer() async -> (any Error)? {
        let (answers, answer) = AsyncStream.makeStream(of: (any Error)?.self, bufferingPolicy: .bufferingOldest(1))
        Task {
            var failure: (any Error)?
            do { try await ping() } catch { failure = error }
            isPinging = false
            answer.yield(failure)
        }
        let end = now() + Self.patience
        let limit = Task { [now, pause] in
            while now() < end {
                try Task.checkCancellation()
                try await pause(Self.patience)
            }
            answer.yield(NoAnswer())
        }
        defer { limit.cancel() }
        for await outcome in answers { return outcome }
        return NoAnswer()
    }
}

/// Whether this process accepts new players. Once it is stopping it never does again.
final class Readiness: Sendable {
    private let stopping = Atomic(false)

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func stop() { stopping.store(true, ordering: .relaxed) }
}

/// `/metrics`, for permitted callers. For all others the path does not exist.
struct MetricsRoute: Sendable {
    let metrics: ServerMetrics
    let readers: Networks
    let trustedProxies: Networks
    let believesLoopback: Bool

    func add(to router: Router<GatehouseContext>) {
        let admits: @Sendable (Request, GatehouseContext) throws -> Void = { request, context in
            guard !trustedProxies.isForwardedByStranger(request, context, believesLoopback: believesLoopback),
                readers.contains(trustedProxies.client(of: request, context))
            else {
                throw Refusal(.notSupported, "There is no such path.")
            }
        }
        router.getOnly("/metrics", admits: admits) { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.registry.text())))
        }
    }
}

/// `/dev/clock`: returns the time, moves it and makes the changes that become due, or resets it.
struct DevClockRoute: Sendable {
    let clock: DevClock
    let sweeper: Sweeper

    private struct Step: Decodable {
        let advanceSeconds: Int64?
        let reset: Bool?
    }

    func add(to router: Router<GatehouseContext>) {
        router.get("/dev/clock") { _, _ in answer() }
        router.post("/dev/clock") { request, _ in
            var request = request
            let body = try await RequestBody.collect(&request)
            let step = try RequestBody.decode(Step.self, from: body, headers: request.headers)
            let services = sweeper.services
            if step.reset == true {
                try await clock.reset(in: services)
            } else if try await !clock.advance(seconds: step.advanceSeconds ?? -1, in: services) {
                throw Refusal.parameter("advanceSeconds", "The clock moves forward, by at most a hundred years.")
            }
            try await sweeper.sweep()
            return answer()
        }
    }

    private func answer() -> Response {
        let text = #"{"serverDate":\#(clock.now.milliseconds),"aheadSeconds":\#(clock.offsetSeconds)}"#
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
