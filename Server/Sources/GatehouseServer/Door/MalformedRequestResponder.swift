import Foundation
import GatehouseWire
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what is not HTTP, or too much of it, in the contract's form and closes the connection: nothing after such bytes
/// can be trusted (NET-4).
final class MalformedRequestResponder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isAnswering = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { isAnswering = true }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { isAnswering = false }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Inside a request, the answer is the request's own to give.
        guard error is HTTPParserError, !isAnswering else { return context.fireErrorCaught(error) }
        let isHeader = (error as? HTTPParserError) == .headerOverflow
        let refusal = Refusal(
            .invalidParameter, isHeader ? "The headers are too large." : "This is not a well-formed HTTP request.",
            httpStatus: isHeader ? 431 : 400)
        let failure = WireError(code: refusal.code, message: refusal.message, transactionId: TransactionID("none"))
        let body = (try? JSONEncoder().encode(ErrorEnvelope(error: failure))) ?? Data()
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
