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
