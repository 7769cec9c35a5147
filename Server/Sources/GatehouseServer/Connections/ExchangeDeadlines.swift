import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends a request that does not arrive completely in time, or whose response the client does not read. A client that sends a byte now
/// and then would otherwise keep it open for ever (INP-2). An HTTP/1.1 connection is closed. An HTTP/2 stream is reset, because other
/// streams of its connection may be healthy; ``ConnectionDeadlines`` closes a connection without other streams.
final class ExchangeDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var progress: ExchangeProgress
    private var phase = ExchangeProgress.Phase.idle
    private var timer: DeadlineTimer?
    private var eventLoop: (any EventLoop)?
    private var connection: ConnectionDeadlines?

    init(_ times: ConnectionTimes) {
        progress = ExchangeProgress(times.request)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        eventLoop = context.eventLoop
        if let own = try? context.pipeline.syncOperations.handler(type: ConnectionDeadlines.self) {
            connection = own
            timer = DeadlineTimer(on: context.eventLoop) { [weak own] in own?.close() }
            own.speaksHTTP1(self)
        } else {
            connection = try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionDeadlines.self)
            timer = DeadlineTimer(on: context.eventLoop) { context.close(promise: nil) }
            // A stream is created by its first frame, so that frame has arrived.
            arrived()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        timer?.cancel()
        timer = nil
        connection?.moved(from: phase, to: .idle, hasTakenAnswer: false)
        phase = .idle
        connection = nil
        eventLoop = nil
    }

    /// A byte of a request has arrived.
    func arrived() { update { $0.arrived(at: $1) } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: arrived()
        case .end: update { progress, _ in progress.requestEnded() }
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            // 100 (Continue) is no answer yet.
            if head.status.kind != .informational { update { $0.answerBegan(at: $1) } }
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            // The promise is fulfilled only when the last byte has been sent: written to the socket, and with HTTP/2 also permitted by
            // the client's flow-control window.
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenSuccess { [weak self] in
                self?.update(hasTakenAnswer: true) { $0.answerTaken(at: $1) }
            }
            context.write(data, promise: promise)
        }
    }

    private func update(hasTakenAnswer: Bool = false, _ change: (inout ExchangeProgress, NIODeadline) -> Void) {
        guard let eventLoop else { return }
        change(&progress, eventLoop.now)
        timer?.set(progress.deadline)
        let former = phase
        phase = progress.phase
        guard former != phase || hasTakenAnswer else { return }
        connection?.moved(from: former, to: phase, hasTakenAnswer: hasTakenAnswer)
    }
}

/// The state and the deadlines of the requests of one HTTP/1.1 connection, or of the request of one HTTP/2 stream (INP-2). This type
/// contains only the rules: ``ExchangeDeadlines`` manages the timer.
struct ExchangeProgress {
    enum Phase: Hashable {
        /// No request has begun.
        case idle
        /// A request is arriving: from its first byte, or its stream's first frame, until it is complete.
        case request(until: NIODeadline)
        /// A request is complete and has no response yet.
        case service
        /// A response is being sent, until the client has received it.
        case answer(until: NIODeadline)
    }

    private let time: TimeAmount
    private var arrivesUntil: NIODeadline?
    private var takenUntil: NIODeadline?
    private var wholeRequests = 0
    private var begunAnswers = 0
    private var takenAnswers = 0

    init(_ time: TimeAmount) {
        self.time = time
    }

    /// A byte of a request, or its head, has arrived.
    mutating func arrived(at now: NIODeadline) {
        if arrivesUntil == nil { arrivesUntil = now + time }
    }

    mutating func requestEnded() {
        arrivesUntil = nil
        wholeRequests += 1
    }

    mutating func answerBegan(at now: NIODeadline) {
        begunAnswers += 1
        if takenUntil == nil { takenUntil = now + time }
    }

    mutating func answerTaken(at now: NIODeadline) {
        takenAnswers += 1
        takenUntil = begunAnswers > takenAnswers ? now + time : nil
        // A pipelined request behind this one could not be read before, so its time begins now. A request that was refused before it
        // was complete gets no more time.
        if arrivesUntil != nil, takenAnswers <= wholeRequests { arrivesUntil = now + time }
    }

    var phase: Phase {
        if let takenUntil { return .answer(until: takenUntil) }
        if wholeRequests > takenAnswers { return .service }
        return arrivesUntil.map { .request(until: $0) } ?? .idle
    }

    var deadline: NIODeadline? {
        switch phase {
        case .request(let deadline), .answer(let deadline): deadline
        case .idle, .service: nil
        }
    }
}
