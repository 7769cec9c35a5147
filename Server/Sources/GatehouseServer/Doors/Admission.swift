import GatehouseStorage
import Hummingbird
import Synchronization

/// Limits concurrent requests. Further requests are refused at once, before they cost any work: an overloaded server completes nothing
/// in time (REL-9). The doors that it guards share one limit; health and metrics are always answered.
final class Admission: RouterMiddleware {
    typealias Context = GatehouseContext


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

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        let count = inFlight.wrappingAdd(1, ordering: .relaxed).newValue
        defer { inFlight.wrappingSubtract(1, ordering: .relaxed) }
        guard count <= limit else { throw StorageError.overloaded.refusal }
        return try await next(request, context)
    }
}
