import Hummingbird

/// Serves each request in a task of its own. A task keeps the memory of its deepest call until it ends, and the task of a connection
/// lives as long as the connection: ten thousand players who wait would hold 100 MB for requests that are over.
struct RequestTask<Next: HTTPResponder>: HTTPResponder where Next.Context == GatehouseContext {
    let next: Next

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        async let response = next.respond(to: request, context: context)
        return try await response
    }
}
