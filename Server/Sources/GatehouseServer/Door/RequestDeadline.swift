import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive whole in time, from its first byte: a client that sends a byte now and
/// then would hold it for ever (INP-2). A connection without a request is the idle time-out's to end.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let time: TimeAmount
    private var deadline: Scheduled<Void>?

    init(seconds: Int64) {
        time = .seconds(seconds)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // Bytes are seen before anything decodes them: a head that never ends is not a part of a request yet.
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let arrivals = Arrivals { [weak self] in self?.begin(context.value) }
        try? context.value.pipeline.syncOperations.addHandler(arrivals, position: .first)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard deadline == nil else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }

    private func end() {
        deadline?.cancel()
        deadline = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { end() }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Tells that something has arrived, whatever it is.
    private final class Arrivals: ChannelInboundHandler {
        typealias InboundIn = Any
        typealias InboundOut = Any

        private let tell: () -> Void

        init(_ tell: @escaping () -> Void) {
            self.tell = tell
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            tell()
            context.fireChannelRead(data)
        }
    }
}
