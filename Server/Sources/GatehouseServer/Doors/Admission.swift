import GatehouseSecurity
import Hummingbird
import Synchronization

/// Limits concurrent requests. Further requests are refused at once, before they cost any work: an overloaded server completes nothing
/// in time (REL-9).
struct Admission: RouterMiddleware {
    typealias Context = GatehouseContext

    /// The requests of all doors but the console.
    let requests: RequestsInFlight
    /// Nil for a door that always answers, such as the one for health and metrics.
    let limit: Int?

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        try await requests.admit(upTo: limit) { try await next(request, context) }
    }
}

/// Counts the requests that are being served.
final class RequestsInFlight: Sendable {
    private let running = Atomic(0)

    var count: Int { running.load(ordering: .relaxed) }

    /// Serves a request, unless as many are being served already.
    ///
    /// - Throws: 8001 for a request too many.
    func admit(upTo limit: Int?, _ serve: () async throws -> Response) async throws -> Response {
        let count = running.wrappingAdd(1, ordering: .relaxed).newValue
        defer { running.wrappingSubtract(1, ordering: .relaxed) }
        if let limit, count > limit { throw Refusal.overloaded }
        return try await serve()
    }
}
