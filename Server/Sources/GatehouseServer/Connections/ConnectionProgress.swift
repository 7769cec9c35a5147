import NIOCore

/// How long the states of a connection may last.
struct ConnectionTimes: Sendable {
    /// For a handshake, for a request to arrive whole, and for an answer to be taken.
    let request: TimeAmount
    /// For a connection without a request.
    let idle: TimeAmount

    init(requestSeconds: Int, idleSeconds: Int) {
        request = .seconds(Int64(requestSeconds))
        idle = .seconds(Int64(idleSeconds))
    }

    /// Between the polite end of an idle connection, which its client may ignore, and the hard one.
    var grace: TimeAmount { min(request, .seconds(5)) }
}

/// What a connection is doing and until when it may (INP-2). The rules alone: ``ConnectionDeadlines`` keeps the timer.
///
/// An exchange is a request with its answer: HTTP/1.1 has one at a time, HTTP/2 one for each stream.
struct ConnectionProgress {
    enum Phase: Hashable {
        /// From being accepted until TLS is agreed on and, with HTTP/2, the client has said its first word.
        case handshake
        /// Waits for a request. The time starts again only when the client has received an answer completely.
        case idle
        /// Requests are arriving or answers are being taken: each has a deadline of its own (``ExchangeProgress``), and they
        /// have one together, or a client could keep a connection by beginning one after another.
        case exchange
        /// The server is working on a request: it is the server's turn, and the client has nothing to hurry with.
        case service
    }

    private let times: ConnectionTimes
    private var isReady = false
    /// When the handshake ended or the last answer was taken.
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

    /// The server stops: what is in service is finished, and nothing else is waited for long.
    mutating func stopBegan(at now: NIODeadline) {
        if stopsAt == nil { stopsAt = now + times.request }
    }

    var phase: Phase {
        if !isReady { return .handshake }
        if inService > 0 { return .service }
        return exchanges > 0 ? .exchange : .idle
    }

    /// When the connection is closed if it goes on like this; nil for as long as the server takes.
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
