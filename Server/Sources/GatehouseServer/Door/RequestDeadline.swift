import GatehouseWire
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive whole in time: a client that sends a byte now and then would hold it
/// for ever (INP-2). A request whose first bytes never become a head is the idle time-out's to end.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let time: TimeAmount
    private var deadline: Scheduled<Void>?

    init(seconds: Int64) {
        time = .seconds(seconds)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            deadline?.cancel()
            deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
        case .body:
            break
        case .end:
            deadline?.cancel()
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        context.fireChannelInactive()
    }
}
