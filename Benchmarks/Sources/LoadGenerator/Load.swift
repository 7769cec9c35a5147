import CEpoll
import Foundation

/// One run of requests against a server, from one thread: sockets that never block and a list of requests. It costs a few
/// microseconds a request, so that what is measured is the server.
public struct Load {
    /// The server's address of IPv4.
    public var address = "127.0.0.1"
    public var port: Int
    public var connections: Int
    /// The run ends after this long, or when every request has had its turn.
    public var seconds: Double
    /// Requests a second, whether the server keeps up or not; nil sends the next as soon as an answer is there.
    public var rate: Double?
    /// Whether the list starts again at its end.
    public var repeats: Bool
    /// How long one answer may take until its connection is given up, in seconds.
    public var patience = 30.0
    /// Called with each request's index, and its answer or nil when none came.
    public var onOutcome: ((Int, Answer?) -> Void)?

    public init(port: Int, connections: Int, seconds: Double, rate: Double? = nil, repeats: Bool = false) {
        self.port = port
        self.connections = connections
        self.seconds = seconds
        self.rate = rate
        self.repeats = repeats
    }

    public struct Answer: Sendable {
        public let status: Int
        public let body: [UInt8]
    }

    /// The result of a run.
    public struct Result: Sendable {
        public var seconds = 0.0
        /// Answers by HTTP status.
        public var statuses: [Int: Int] = [:]
        /// Requests that got no answer: refused connections, resets, time-outs.
        public var lost = 0
        /// Milliseconds of each answer that is no error, in order of size.
        public var latencies: [Double] = []

        public init() {}

        /// Adds the result of a later run.
        public mutating func add(_ other: Result) {
            seconds += other.seconds
            statuses.merge(other.statuses, uniquingKeysWith: +)
            lost += other.lost
            latencies = (latencies + other.latencies).sorted()
        }

        public var successes: Int { statuses[200] ?? 0 }
        public var errors: Int { lost + statuses.filter { $0.key != 200 }.values.reduce(0, +) }
        public var perSecond: Double { seconds > 0 ? Double(successes) / seconds : 0 }

        public func percentile(_ fraction: Double) -> Double {
            latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * fraction))]
        }
    }

    private struct Connection {
        var descriptor: Int32 = -1
        var request = -1
        var sent = 0
        var startedAt = 0.0
        var input: [UInt8] = []
    }

    /// - Parameter beforeClosing: called when the run is over and its connections are still open.
    public func run(_ requests: RequestList, beforeClosing: () -> Void = {}) -> Result {
        var result = Result()
        var all = (0..<connections).map { _ in Connection() }
        let poll = epoll_create1(0)
        defer { close(poll) }
        var events = [epoll_event](repeating: epoll_event(), count: connections)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var idle = Array(all.indices.reversed())
        var next = 0

        /// Sends as much of the connection's request as the socket takes.
        func flush(_ index: Int) -> Bool {
            let range = requests.range(all[index].request)
            let from = range.lowerBound + all[index].sent
            let count = requests.bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map {
                    send(all[index].descriptor, $0 + from, range.upperBound - from, Int32(MSG_NOSIGNAL))
                } ?? -1
            }
            if count > 0 { all[index].sent += count }
            return count > 0 || errno == EAGAIN
        }

        /// Closes the connection and gives its request up.
        func drop(_ index: Int) {
            close(all[index].descriptor)
            // An idle connection stays idle.
            if all[index].request >= 0 {
                result.lost += 1
                onOutcome?(all[index].request, nil)
                idle.append(index)
            }
            all[index] = Connection()
        }

        func open(_ index: Int) -> Bool {
            all[index].descriptor = Self.connected(to: address, port)
            guard all[index].descriptor >= 0 else { return false }
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u32 = UInt32(index)
            epoll_ctl(poll, EPOLL_CTL_ADD, all[index].descriptor, &event)
            return true
        }

        func begin(_ index: Int, at now: Double) {
            guard all[index].descriptor >= 0 || open(index) else {
                result.lost += 1
                onOutcome?(next, nil)
                next += 1
                idle.insert(index, at: 0)
                return
            }
            all[index].request = repeats ? next % requests.count : next
            all[index].sent = 0
            all[index].startedAt = now
            next += 1
            if !flush(index) { drop(index) }
        }

        // A rate must be kept from the first moment, so the connections are opened before the clock starts.
        if rate != nil { for index in all.indices where !open(index) { break } }
        let start = Self.now
        let end = start + seconds
        var lastLook = start
        while true {
            let now = Self.now
            let mayBegin = now < end && (repeats || next < requests.count)
            let due = rate.map { Int(($0 * (now - start)).rounded(.down)) } ?? .max
            while mayBegin, repeats || next < requests.count, next < due, let index = idle.popLast() {
                begin(index, at: now)
                // A server that does not respond is retried in the next turn of the outer loop, so that this one ends.
                if all[index].descriptor < 0 { break }
            }
            if idle.count == connections, !mayBegin { break }
            let wait = idle.isEmpty || !mayBegin ? 100 : 1
            let ready = epoll_wait(poll, &events, Int32(connections), Int32(wait))
            for event in events.prefix(Int(max(0, ready))) {
                let index = Int(event.data.u32)
                let count = recv(all[index].descriptor, &buffer, buffer.count, 0)
                if count <= 0 {
                    if count == 0 || errno != EAGAIN { drop(index) }
                    continue
                }
                all[index].input += buffer[..<count]
                while all[index].request >= 0,
                    let (answer, length) = Self.answer(in: all[index].input, keepsBody: onOutcome != nil)
                {
                    let milliseconds = (Self.now - all[index].startedAt) * 1_000
                    if (200..<400).contains(answer.status) { result.latencies.append(milliseconds) }
                    result.statuses[answer.status, default: 0] += 1
                    onOutcome?(all[index].request, answer)
                    all[index].input.removeFirst(length)
                    all[index].request = -1
                    if rate == nil, Self.now < end, repeats || next < requests.count {
                        begin(index, at: Self.now)
                    } else {
                        idle.append(index)
                    }
                }
            }
            if now - lastLook > 0.1 {
                lastLook = now
                for index in all.indices where all[index].request >= 0 {
                    let range = requests.range(all[index].request)
                    if all[index].sent < range.count, !flush(index) { drop(index); continue }
                    if now - all[index].startedAt > patience { drop(index) }
                }
            }
        }
        result.seconds = Self.now - start
        beforeClosing()
        for connection in all where connection.descriptor >= 0 { close(connection.descriptor) }
        result.latencies.sort()
        return result
    }

    /// Makes every request once, and throws unless all succeed.
    public func complete(_ requests: RequestList) throws {
        let result = run(requests)
        guard result.successes == requests.count else {
            throw ServerProcess.Failed(
                description: "\(result.successes) of \(requests.count) calls succeeded: \(result.statuses)")
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func connected(to host: String, _ port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    /// The first complete response in the input, and its length.
    static func answer(in input: [UInt8], keepsBody: Bool) -> (Answer, Int)? {
        guard input.count > 12, let headEnd = endOfHead(input) else { return nil }
        let status = Int(input[9] &- 48) * 100 + Int(input[10] &- 48) * 10 + Int(input[11] &- 48)
        let length = headEnd + contentLength(input[..<headEnd])
        guard input.count >= length else { return nil }
        return (Answer(status: status, body: keepsBody ? Array(input[headEnd..<length]) : []), length)
    }

    private static func endOfHead(_ input: [UInt8]) -> Int? {
        var index = 3
        while index < input.count {
            if input[index] == 10, input[index - 1] == 13, input[index - 2] == 10, input[index - 3] == 13 {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    private static let contentLengthName = Array("\ncontent-length:".utf8)

    private static func contentLength(_ head: ArraySlice<UInt8>) -> Int {
        var matched = 0
        for (index, byte) in zip(head.indices, head) {
            let small = (65...90).contains(byte) ? byte | 32 : byte
            if small == contentLengthName[matched] {
                matched += 1
                if matched == contentLengthName.count {
                    var value = 0
                    for digit in head[(index + 1)...].drop(while: { $0 == 32 }) {
                        guard (48...57).contains(digit), value < 1 << 40 else { break }
                        value = value * 10 + Int(digit - 48)
                    }
                    return value
                }
            } else {
                matched = small == contentLengthName[0] ? 1 : 0
            }
        }
        return 0
    }
}
