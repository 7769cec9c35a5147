import GatehouseSecurity
import HTTPTypes
import Logging
import NIOCore
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The deadlines of a connection, tested without real time, which is a number here.
@Suite struct ConnectionTests {
    private static let times = ConnectionTimes(requestSeconds: 15, idleSeconds: 75)

    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private static func connection() -> ConnectionProgress { ConnectionProgress(times, acceptedAt: at(0)) }

    private static func ready() -> ConnectionProgress {
        var connection = connection()
        connection.handshakeEnded(at: at(1))
        return connection
    }

    @Test("INP-2: every state of a connection has a deadline but the one in which the server works")
    func phases() {
        var connection = Self.connection()
        #expect(connection.phase == .handshake)
        #expect(connection.deadline == Self.at(15))
        connection.handshakeEnded(at: Self.at(1))
        #expect(connection.phase == .idle)
        #expect(connection.deadline == Self.at(1 + 75 + 5))
        connection.exchangeBegan(at: Self.at(40))
        #expect(connection.phase == .exchange)
        #expect(connection.deadline == Self.at(40 + 75 + 15))
        connection.serviceBegan()
        #expect(connection.phase == .service)
        #expect(connection.deadline == nil)
        connection.serviceEnded()
        connection.answerTaken(at: Self.at(50))
        connection.exchangeEnded()
        #expect(connection.phase == .idle)
        #expect(connection.deadline == Self.at(50 + 75 + 5))
    }

    @Test("INP-2: what is no whole request with a taken answer gives an idle connection no more time")
    func unfinished() {
        var connection = Self.ready()
        // The client sends a second message of the handshake, and a request that is cancelled.
        connection.handshakeEnded(at: Self.at(60))
        connection.exchangeBegan(at: Self.at(60))
        connection.exchangeEnded()
        #expect(connection.deadline == Self.at(1 + 75 + 5))
        // Requests begin one after another without a pause, and none of them becomes complete.
        connection.exchangeBegan(at: Self.at(10))
        for second in 11..<80 {
            connection.exchangeBegan(at: Self.at(Int64(second)))
            connection.exchangeEnded()
        }
        #expect(connection.deadline == Self.at(10 + 75 + 15))
    }

    @Test("REL-8: after a stop has begun, only a request in service is waited for longer than request-seconds")
    func stop() {
        var connection = Self.ready()
        connection.stopBegan(at: Self.at(20))
        #expect(connection.deadline == Self.at(35))
        connection.stopBegan(at: Self.at(30))
        connection.exchangeBegan(at: Self.at(30))
        #expect(connection.deadline == Self.at(35))
        connection.serviceBegan()
        #expect(connection.deadline == nil)
        connection.serviceEnded()
        connection.answerTaken(at: Self.at(50))
        connection.exchangeEnded()
        #expect(connection.deadline == Self.at(35))
    }

    @Test("INP-2: a request's time begins with its first byte and is not renewed by further ones")
    func request() {
        var exchange = ExchangeProgress(Self.times.request)
        #expect(exchange.phase == .idle)
        for second in 3..<17 { exchange.arrived(at: Self.at(Int64(second))) }
        #expect(exchange.phase == .request(until: Self.at(18)))
        exchange.requestEnded()
        #expect(exchange.phase == .service)
        #expect(exchange.deadline == nil)
    }

    @Test("INP-2: an answer that its client does not take has a deadline, and so has each of several")
    func answer() {
        var exchange = ExchangeProgress(Self.times.request)
        for _ in 0..<2 {
            exchange.arrived(at: Self.at(0))
            exchange.requestEnded()
        }
        exchange.answerBegan(at: Self.at(1))
        exchange.answerBegan(at: Self.at(9))
        #expect(exchange.phase == .answer(until: Self.at(16)))
        exchange.answerTaken(at: Self.at(12))
        #expect(exchange.phase == .answer(until: Self.at(27)))
        exchange.answerTaken(at: Self.at(13))
        #expect(exchange.phase == .idle)
    }

    @Test("A request behind another in a pipeline has its whole time; one that is refused early has no more of it")
    func pipeline() {
        var exchange = ExchangeProgress(Self.times.request)
        exchange.arrived(at: Self.at(0))
        exchange.requestEnded()
        exchange.arrived(at: Self.at(1))
        #expect(exchange.phase == .service)
        exchange.answerBegan(at: Self.at(60))
        exchange.answerTaken(at: Self.at(61))
        #expect(exchange.phase == .request(until: Self.at(76)))
        // The request was refused before it was complete: its body may still arrive, but not for ever.
        exchange.answerBegan(at: Self.at(62))
        exchange.answerTaken(at: Self.at(63))
        #expect(exchange.phase == .request(until: Self.at(76)))
        exchange.requestEnded()
        #expect(exchange.phase == .idle)
    }

    @Test("INP-2: a network has as many connections as the limit says, until one is closed; a trusted proxy has any")
    func limit() throws {
        let metrics = ServerMetrics()
        let limit = ConnectionLimit(
            maximum: 2, trustedProxies: try #require(Networks(["10.0.0.1"])), metrics: metrics,
            monotonicNanoseconds: { 0 }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        func enter(_ address: String) throws -> ClientAddress.Network? {
            try limit.enter(#require(ClientAddress(address)))?.counted
        }
        let first = try #require(try enter("192.0.2.1"))
        #expect(try enter("192.0.2.1") != nil)
        #expect(try enter("192.0.2.1") == nil)
        #expect(try enter("192.0.2.2") != nil)
        limit.leave(first)
        #expect(try enter("192.0.2.1") != nil)
        // A subscriber has a whole /64 of IPv6, and could use any number of its addresses.
        for last in 1...2 { #expect(try enter("2001:db8::\(last)") != nil) }
        #expect(try enter("2001:db8::3") == nil)
        #expect(try enter("2001:db8:0:1::1") != nil)
        for _ in 0..<5 { #expect(try limit.enter(#require(ClientAddress("10.0.0.1"))) != nil) }
        #expect(metrics.registry.text().contains("gatehouse_connections_refused_total 2\n"))
    }

    @Test("INP-2: a flood of refused connections is told once a minute, with their number")
    func reports() throws {
        let journal = LogJournal()
        let now = Mutex<UInt64>(0)
        let limit = ConnectionLimit(
            maximum: 1, trustedProxies: .none, metrics: ServerMetrics(),
            monotonicNanoseconds: { now.withLock { $0 } }, logger: Logger(label: "test") { _ in journal.handler })
        let address = try #require(ClientAddress("192.0.2.1"))
        #expect(limit.enter(address) != nil)
        for _ in 0..<100 { #expect(limit.enter(address) == nil) }
        #expect(journal.refused == ["1"])
        now.withLock { $0 = 60_000_000_000 }
        for _ in 0..<100 { #expect(limit.enter(address) == nil) }
        #expect(journal.refused == ["1", "100"])
    }

    /// The numbers of refused connections that were logged.
    private final class LogJournal: Sendable {
        private let lines = Mutex<[String]>([])

        var refused: [String] { lines.withLock { $0 } }
        var handler: Handler { Handler(journal: self) }

        struct Handler: LogHandler {
            let journal: LogJournal
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                journal.lines.withLock { $0.append("\(event.metadata?["refused"] ?? "none")") }
            }
        }
    }
}
