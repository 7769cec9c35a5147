import HTTPTypes
import Hummingbird

extension Router where Context == GatehouseContext {
    /// Serves a path with GET, and answers 405 to every other method but HEAD, which is a GET here. The router alone would answer that there
    /// is no such path.
    ///
    /// - Parameter admits: throws for a caller who may not know that the path exists.
    func getOnly(
        _ path: RouterPath, admits: @escaping @Sendable (Request, GatehouseContext) throws -> Void = { _, _ in },
        use answer: @escaping @Sendable (Request, GatehouseContext) async throws -> Response
    ) {
        get(path) { request, context in
            try admits(request, context)
            return try await answer(request, context)
        }
        let others: [HTTPRequest.Method?] = [
            .post, .put, .patch, .delete, .options, .trace, HTTPRequest.Method("QUERY"),
        ]
        for method in others.compactMap(\.self) {
            on(path, method: method) { request, context -> Response in
                try admits(request, context)
                throw MethodNotAllowed(allowed: .get)
            }
        }
    }
}
