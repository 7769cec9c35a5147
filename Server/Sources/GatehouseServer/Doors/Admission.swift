import GatehouseSecurity
import Hummingbird
import Synchronization

/// Limits concurrent requests. Further requests are refused at once, before they cost any work: an overloaded server completes nothing
/// in time (REL-9).
struct Admission: RouterMiddleware {
    typealias Context = GatehouseContext

    /// The requests of all doors.
    let requests: RequestsInFlight
    /// Nil for a door that always answers, such as the one for health and metrics.
    let limit: Int?

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        let count = requests.begin()
        defer { requests.end() }
        if let limit, count > limit { throw Refusal.overloaded }
        return try await next(request, context)
    }
}

/// Counts the requests that are being served.
final class RequestsInFlight: Sendable {
    private let count = Atomic(0)

    init(metrics: ServerMetrics) {
        metrics.registry.collect { [weak self] in
            if let self { metrics.inFlight(self.count.load(ordering: .relaxed)) }
        }
    }

    func begin() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
    func end() { count.wrappingSubtract(1, ordering: .relaxed) }
}
