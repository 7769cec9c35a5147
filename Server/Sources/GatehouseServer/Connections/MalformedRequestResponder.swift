import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers malformed or oversized HTTP in the contract's form and closes the connection, because nothing after such bytes can be
/// trusted (NET-4). It also asks for the body of a client that waits to be asked (RFC 9110 section 10.1.1).
final class MalformedRequestResponder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How many requests have begun to arrive, how many have arrived, and how many are answered.
    private var begun = 0
    private var arrived = 0
    private var answered = 0
    /// The number of the request whose client sends the body when it is asked to, until it is asked or the body arrives.
    private var waiting: Int?
    private var isHTTP1 = false
    /// Whether nothing after the current request can be read: the request has turned out to be malformed, or it offers another
    /// protocol, and then the decoder treats what follows as that protocol. It is also so if a client that waits gets its answer instead:
    /// whether its body follows is anybody's guess.
    private var isLast = false

    func handlerAdded(context: ChannelHandlerContext) {
        let operations = context.pipeline.syncOperations
        // An HTTP/2 stream has no such decoder, and can't have two `Host` headers.
        guard let decoder = try? operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        isHTTP1 = true
        try? operations.addHandler(HeadCheck(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            begun += 1
            // Java's client offers HTTP/2 with every unencrypted request, unless it is configured not to.
            if head.headerFields[.upgrade] != nil { isLast = true }
            if head.headerFields[.expect] != nil { waiting = begun }
        case .body: waiting = nil
        case .end:
            waiting = nil
            arrived += 1
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed(())
        guard waiting == answered + 1 else { return }
        waiting = nil
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if waiting == answered + 1 {
                waiting = nil
                isLast = isLast || isHTTP1
            }
            guard isLast else { return context.write(data, promise: promise) }
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            answered += 1
            guard isLast else { return context.write(data, promise: promise) }
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            context.writeAndFlush(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard answered >= begun else {
            // While a request is in service, its handler gets this error when it reads the body, and answers it.
            isLast = true
            return context.fireErrorCaught(error)
        }
        // A request that was refused before it was complete has its answer.
        guard arrived >= begun else { return context.close(promise: nil) }
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

/// The server reads the body of the current request. Its client may wait for this.
struct BodyIsWanted: Sendable {}

/// Refuses a request that another server on its way may have interpreted differently: one without a host or with two (RFC 9112 section
/// 3.2), and one with a transfer coding other than `chunked` (section 6.1). HTTP/1.0 allows requests without a host, which load
/// balancers use for health checks, and no transfer codings.
///
/// To what comes behind it, each request after which the client wants the connection closed says `Connection: close`, in these letters and
/// alone: Hummingbird looks for no other.
private final class HeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if let error = Self.error(in: head) {
            hasRefused = true
            return context.fireErrorCaught(error)
        }
        let (isOld, endsConnection) = (head.version == .http1_0, !head.isKeepAlive)
        guard isOld || endsConnection else { return context.fireChannelRead(data) }
        if endsConnection { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        // HTTP/1.0 has no expectations (RFC 9110 section 10.1.1).
        if isOld { head.headers.remove(name: "Expect") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
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
