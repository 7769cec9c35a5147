import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

@Suite struct DeviceSleepTests {
    /// The clock of a device that can sleep. Its timers stand still meanwhile.
    private final class DeviceClock: SleepCountingClock {
        struct Instant: InstantProtocol {
            let time: Duration
            func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
            func duration(to other: Instant) -> Duration { other.time - time }
            static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
        }

        private let time = Locked(Duration.seconds(7))
        var now: Instant { Instant(time: time.withLock { $0 }) }
        var minimumResolution: Duration { .nanoseconds(1) }

        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    }

    @Test("SES-1: an access token that has expired while the device slept is renewed before the game gets it")
    func expired() async throws {
        let (clock, network) = (DeviceClock(), ScriptedTransport())
        var environment = GatehouseClient.Environment.testing(clock: ManualClock(), transport: network)
        environment.monotonicMilliseconds = GatehouseClient.Environment.live(clock: clock).monotonicMilliseconds
        var configuration = GatehouseClient.Configuration(
            appID: "game", serverURL: try URL(string: "https://login.example.com").unwrapped(),
            storage: MemoryStorage())
        configuration.logger = nil
        let gatehouse = GatehouseClient(configuration, environment: environment)
        network.script(.launching(), .login())
        try await gatehouse.start()
        let login = try await gatehouse.logIn(with: .guest)
        #expect(try await gatehouse.validAccessToken() == login.session.accessToken)
        #expect(network.requests.count == 2)
        clock.pass(.seconds(3_600))
        network.script(.renewal())
        #expect(try await gatehouse.validAccessToken() != login.session.accessToken)
        #expect(network.requests.count == 3)
    }

    @Test("The milliseconds of a clock are those since its stopwatch began")
    func milliseconds() {
        let clock = DeviceClock()
        let milliseconds = clock.stopwatch()
        #expect(milliseconds() == 0)
        clock.pass(.microseconds(90_061_001_999))
        #expect(milliseconds() == 90_061_001)
    }
}
