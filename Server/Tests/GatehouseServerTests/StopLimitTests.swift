import Foundation
import GatehouseSecurity
import Logging
import ServiceLifecycle
import Testing

@testable import GatehouseServer

/// A process whose services do not end.
@Suite(.timeLimit(.minutes(10))) struct StopLimitTests {
    /// Ends neither by a graceful shutdown nor by a cancellation.
    private struct Endless: Service {
        let hasStarted: @Sendable () -> Void

        func run() async throws {
            hasStarted()
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
    }

    private struct Failing: Service {
        struct Failure: Error {}

        let isOthersTurn: AsyncStream<Void>

        func run() async throws {
            for await _ in isOthersTurn { break }
            throw Failure()
        }
    }

    /// Runs services, one of which does not end, between a limit's two places.
    private static func run(beside other: (AsyncStream<Void>) -> [any Service], stop: Bool) async throws {
        // A process that nothing ends must not wait for good.
        alarm(300)
        let logger = Logger(label: "stop") { label in
            JSONLogHandler(label: label, level: .critical, now: { Moment(milliseconds: 0) })
        }
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let limit = StopLimit(seconds: 0, logger: logger)
        let endless = Endless { start.yield() }
        let group = ServiceGroup(
            services: [limit, endless] + other(started) + [limit], gracefulShutdownSignals: [], logger: logger)
        async let run: Void = group.run()
        if stop {
            for await _ in started { break }
            await group.triggerGracefulShutdown()
        }
        try await run
    }

    @Test("REL-8: a stop that a service does not follow ends the process with 1 after its time, and the log says so")
    func stop() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            try await StopLimitTests.run(beside: { _ in [] }, stop: true)
        }
        let log = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(log.contains("the server has not ended by itself"), "\(log)")
    }

    @Test("REL-8: so does the failure of a service while another does not end")
    func failure() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            try await StopLimitTests.run(beside: { [Failing(isOthersTurn: $0)] }, stop: false)
        }
        let log = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(log.contains("the server has not ended by itself"), "\(log)")
    }
}
