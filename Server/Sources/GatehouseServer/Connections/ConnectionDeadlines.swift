import NIOCore

/// Closes a connection that is too slow in any state. It is the first handler of every connection, before TLS, so that every state has
/// a deadline, except the one in which the client waits for the server (INP-2).
///
/// Hummingbird's own time-outs remain: they close politely (`GOAWAY`, `close_notify`) and wait for the client. These deadlines come
/// later and don't wait.
final class ConnectionDeadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    let times: ConnectionTimes
    private var progress: ConnectionProgress
    private var timer: DeadlineTimer?
    private var context: ChannelHandlerContext?
    /// The exchanges of the connection, if it uses HTTP/1.1.
    private var http1: ExchangeDeadlines?

    init(_ times: ConnectionTimes, acceptedAt now: NIODeadline) {
        self.times = times
        progress = ConnectionProgress(times, acceptedAt: now)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer = DeadlineTimer(on: context.eventLoop) { [weak self] in self?.close() }
        timer?.set(progress.deadline)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
        http1 = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { update { $0.stopBegan(at: $1) } }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes the socket at once, without waiting for other handlers or for the client.
    func close() {
        context?.close(promise: nil)
    }

    /// The connection uses HTTP/1.1.
    func speaksHTTP1(_ exchanges: ExchangeDeadlines) {
        http1 = exchanges
        handshakeEnded()
    }

    /// Some bytes of HTTP have arrived.
    func arrived() {
        handshakeEnded()
        http1?.arrived()
    }

    private func handshakeEnded() {
        update { $0.handshakeEnded(at: $1) }
    }

    func moved(from former: ExchangeProgress.Phase, to phase: ExchangeProgress.Phase, hasTakenAnswer: Bool) {
        update { progress, now in
            if former == .idle, phase != .idle { progress.exchangeBegan(at: now) }
            if former != .idle, phase == .idle { progress.exchangeEnded() }
            if former != .service, phase == .service { progress.serviceBegan() }
            if former == .service, phase != .service { progress.serviceEnded() }
            if hasTakenAnswer { progress.answerTaken(at: now) }
        }
    }

    private func update(_ change: (inout ConnectionProgress, NIODeadline) -> Void) {
        guard let context else { return }
        change(&progress, context.eventLoop.now)
        timer?.set(progress.deadline)
    }
}

/// A handler after TLS, where the bytes are HTTP. It notifies the connection's deadlines of their arrival.
final class ArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    private let connection: ConnectionDeadlines

    init(_ connection: ConnectionDeadlines) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.arrived()
        context.fireChannelRead(data)
    }
}
