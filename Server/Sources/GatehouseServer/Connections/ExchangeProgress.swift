import NIOCore

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
