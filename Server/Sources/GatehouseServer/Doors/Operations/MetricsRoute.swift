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
