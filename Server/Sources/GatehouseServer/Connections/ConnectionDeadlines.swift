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

/// The maximum durations of a connection's states.
struct ConnectionTimes: Sendable {
    /// The limit for a handshake, for receiving a complete request, and for sending a response.
    let request: TimeAmount
    /// The limit for a connection without a request.
    let idle: TimeAmount

    init(requestSeconds: Int, idleSeconds: Int) {
        request = .seconds(Int64(requestSeconds))
        idle = .seconds(Int64(idleSeconds))
    }

    /// The time between the polite end of an idle connection, which its client may ignore, and the forced one.
    var grace: TimeAmount { min(request, .seconds(5)) }
}

/// A connection's state and its deadline (INP-2). This type contains only the rules: ``ConnectionDeadlines`` manages the timer.
///
/// An exchange is a request with its response: HTTP/1.1 has one at a time, HTTP/2 one for each stream.
struct ConnectionProgress {
    enum Phase: Hashable {
        /// From accepting the connection until TLS is negotiated and, with HTTP/2, the client has sent its first frame.
        case handshake
        /// Waits for a request. The time restarts only when the client has received a complete response.
        case idle
        /// Requests are arriving or responses are being sent. Each has its own deadline (``ExchangeProgress``), and they also share
        /// one, because otherwise a client could keep a connection open by starting one request after another.
        case exchange
        /// The server is working on a request, and the client can only wait.
        case service
    }

    private let times: ConnectionTimes
    private var isReady = false
    /// When the handshake ended or the last response was sent.
    private var progressAt: NIODeadline
    /// When the first of the open exchanges began.
    private var busySince: NIODeadline
    private var exchanges = 0
    private var inService = 0
    private var stopsAt: NIODeadline?

    init(_ times: ConnectionTimes, acceptedAt now: NIODeadline) {
        self.times = times
        progressAt = now
        busySince = now
    }

    mutating func handshakeEnded(at now: NIODeadline) {
        guard !isReady else { return }
        isReady = true
        progressAt = now
    }

    mutating func exchangeBegan(at now: NIODeadline) {
        if exchanges == 0 { busySince = now }
        exchanges += 1
    }

    mutating func exchangeEnded() { exchanges -= 1 }
    mutating func serviceBegan() { inService += 1 }
    mutating func serviceEnded() { inService -= 1 }
    mutating func answerTaken(at now: NIODeadline) { progressAt = now }

    /// The server is stopping: requests in service are completed, and everything else gets a short deadline.
    mutating func stopBegan(at now: NIODeadline) {
        if stopsAt == nil { stopsAt = now + times.request }
    }

    var phase: Phase {
        if !isReady { return .handshake }
        if inService > 0 { return .service }
        return exchanges > 0 ? .exchange : .idle
    }

    /// When the connection is closed if nothing changes; nil while the server is working.
    var deadline: NIODeadline? {
        let own: NIODeadline
        switch phase {
        case .service: return nil
        case .handshake: own = progressAt + times.request
        case .idle: own = progressAt + times.idle + times.grace
        case .exchange: own = max(progressAt, busySince) + times.idle + times.request
        }
        return stopsAt.map { min(own, $0) } ?? own
    }
}

/// The timer of a channel whose deadline moves with every request. Postponing a deadline costs nothing: when the timer fires early, it
/// finds that there is time left and is set again. So a busy connection sets a timer only now and then, and not twice for each request.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private let expire: () -> Void
    private var deadline: NIODeadline?
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameter expire: runs on the event loop when a deadline has passed.
    init(on eventLoop: any EventLoop, _ expire: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.expire = expire
    }

    /// - Parameter deadline: nil for no deadline.
    func set(_ deadline: NIODeadline?) {
        self.deadline = deadline
        guard let deadline else { return }
        if let scheduled {
            if scheduled.at <= deadline { return }
            scheduled.task.cancel()
        }
        schedule(deadline)
    }

    func cancel() {
        deadline = nil
        scheduled?.task.cancel()
        scheduled = nil
    }

    private func schedule(_ deadline: NIODeadline) {
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] () -> Void in self?.fire()
        }
        scheduled = (task, deadline)
    }

    private func fire() {
        scheduled = nil
        guard let deadline else { return }
        guard eventLoop.now >= deadline else { return schedule(deadline) }
        self.deadline = nil
        expire()
    }
}
