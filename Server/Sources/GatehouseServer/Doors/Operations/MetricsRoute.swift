import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// `/metrics`, for permitted callers. For all others the path does not exist.
struct MetricsRoute: Sendable {
    let metrics: ServerMetrics
    let readers: Networks
    let trustedProxies: Networks

    func add(to router: Router<GatehouseContext>) {
        let admits: @Sendable (Request, GatehouseContext) throws -> Void = { request, context in
            guard !isForwardedByStranger(request, context),
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

    /// Whether the request was forwarded by a proxy that the operator has not configured. The proxy's own address may be permitted, but
    /// it forwards somebody else's request (NET-2).
    private func isForwardedByStranger(_ request: Request, _ context: GatehouseContext) -> Bool {
        guard !trustedProxies.contains(context.peer) else { return false }
        return Self.forwarding.contains { request.headers[$0] != nil }
    }

    private static let forwarding = ["X-Forwarded-For", "Forwarded", "X-Real-IP"].compactMap { HTTPField.Name($0) }
}
