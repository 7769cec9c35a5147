import NIOCore
import NIOHTTPTypes

/// Detects that the client of a connection, or of an HTTP/2 stream, has disconnected, and cancels the work that was only for it.
final class ClientDeparture: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var cancel: (() -> Void)?
    private var hasGone = false

    /// The handler of a channel, called on its event loop; nil if there is none, as in tests without a network.
    static func of(_ channel: any Channel) -> ClientDeparture? {
        guard channel.eventLoop.inEventLoop else { return nil }
        return try? channel.pipeline.syncOperations.handler(type: ClientDeparture.self)
    }

    /// - Parameter cancel: nil when the work is done.
    func follow(_ cancel: (() -> Void)?) {
        self.cancel = cancel
        if hasGone { cancel?() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Until something is written to it, a client that has closed its socket looks like one that has only stopped sending. An HTTP/2
        // stream has no such event: it is closed when it is over.
        if event as? ChannelEvent == .inputClosed { leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func leave() {
        hasGone = true
        cancel?()
        cancel = nil
    }
}
