import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers malformed or oversized HTTP in the contract's form and closes the connection, because nothing after such bytes can be
/// trusted (NET-4).
final class MalformedRequestResponder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isAnswering = false
    /// Whether nothing after the current request can be read: the request has turned out to be malformed, or it offers another
    /// protocol, and then the decoder treats what follows as that protocol.
    private var isLast = false

    func handlerAdded(context: ChannelHandlerContext) {
        let operations = context.pipeline.syncOperations
        // An HTTP/2 stream has no such decoder, and can't have two `Host` headers.
        guard let decoder = try? operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? operations.addHandler(HeadCheck(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            isAnswering = true
            // Java's client offers HTTP/2 with every unencrypted request, unless it is configured not to.
            if head.headerFields[.upgrade] != nil { isLast = true }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isLast:
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLast:
            isAnswering = false
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            context.writeAndFlush(data, promise: promise)
        case .end:
            isAnswering = false
            context.write(data, promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard !isAnswering else {
            // While a request is in service, its handler gets this error when it reads the body, and answers it.
            isLast = true
            return context.fireErrorCaught(error)
        }
        let isHeader = (error as? HTTPParserError) == .headerOverflow
        let refusal = Refusal(
            .invalidParameter, isHeader ? "The headers are too large." : "This is not a well-formed HTTP request.",
            httpStatus: isHeader ? 431 : 400)
        let failure = WireError(code: refusal.code, message: refusal.message, transactionId: TransactionID("none"))
        let body = (try? JSONWriter.bytes(of: ErrorEnvelope(error: failure))) ?? []
        let head = HTTPResponse(
            status: .init(code: refusal.status),
            headerFields: [
                .contentType: "application/json", .contentLength: String(body.count), .connection: "close",
                .cacheControl: "no-store",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.value.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in context.value.close(promise: nil) }
    }
}

/// Refuses a request that another server on its way may have interpreted differently: one without a host or with two (RFC 9112 section
/// 3.2), and one with a transfer coding other than `chunked` (section 6.1). HTTP/1.0 allows requests without a host, which load
/// balancers use for health checks, and no transfer codings.
private final class HeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let error = Self.error(in: head) {
            hasRefused = true
            return context.fireErrorCaught(error)
        }
        context.fireChannelRead(data)
    }

    private static func error(in head: HTTPRequestHead) -> HTTPParserError? {
        var hosts = 0
        var codings: [String] = []
        for (name, value) in head.headers {
            switch name.utf8.count {
            case 4 where name.lowercased() == "host": hosts += 1
            case 17 where name.lowercased() == "transfer-encoding": codings.append(value.lowercased())
            default: break
            }
        }
        let isOld = head.version == .http1_0
        if hosts > 1 || (hosts == 0 && !isOld) { return .invalidHeaderToken }
        return codings.isEmpty || (codings.map(ExactText.init) == [ExactText("chunked")] && !isOld)
            ? nil : .invalidHeaderToken
    }
}
