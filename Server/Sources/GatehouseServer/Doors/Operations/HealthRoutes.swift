import GatehouseCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Liveness and readiness: whether the process is running, and whether it should receive players.
struct HealthRoutes: Sendable {
    let services: Services
    let readiness: Readiness

    func add(to router: Router<GatehouseContext>) {
        router.getOnly("/health/live") { _, _ in Self.answer("live", .ok) }
        router.getOnly("/health/ready") { _, context in
            guard !readiness.isStopping else { return Self.answer("stopping", .serviceUnavailable) }
            do {
                try await services.ping()
            } catch {
                context.logger.warning("not ready", metadata: ["error": "\(error)"])
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

/// Whether this process accepts new players. Once it is stopping it never does again.
final class Readiness: Sendable {
    private let stopping = Atomic(false)

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func stop() { stopping.store(true, ordering: .relaxed) }
}
