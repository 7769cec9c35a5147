import GatehouseSecurity
import GatehouseStorage
import Hummingbird
import Synchronization

/// Limits concurrent requests. Further requests are refused at once, before they cost any work: an overloaded server completes nothing
/// in time (REL-9). Health and metrics are always answered.
final class Admission: Sendable {
    private let limit: Int
    private let metrics: ServerMetrics
    private let inFlight = Atomic(0)

    init(limit: Int, metrics: ServerMetrics) {
        self.limit = limit
        self.metrics = metrics
        metrics.registry.collect { [weak self] in
            if let self { metrics.inFlight(self.inFlight.load(ordering: .relaxed)) }
        }
    }

    func admit<Value>(_ request: Request, _ serve: () async throws -> Value) async throws -> Value {
        let count = inFlight.wrappingAdd(1, ordering: .relaxed).newValue
        defer { inFlight.wrappingSubtract(1, ordering: .relaxed) }
        let path = request.uri.path
        guard count <= limit || !(path.hasPrefix("/v1/") || ServerAPI.isPath(path)) else {
            throw Refusal.overloaded
        }
        return try await serve()
    }
}
