import NIOCore
import NIOHTTPTypes

/// Knows when the client of a connection, or of an HTTP/2 stream, has gone, and ends the work that was for it alone.
final class ClientDeparture: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var cancel: (() -> Void)?
    private var hasGone = false

    /// The one of a channel, asked on its event loop; nil where there is none, as in tests without a network.
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
        // A client that has closed its socket looks, until something is written to it, like one that only sends no more. An
        // HTTP/2 stream has no such event: it is closed when it is over.
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
