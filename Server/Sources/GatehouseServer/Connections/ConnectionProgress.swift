import NIOCore

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
