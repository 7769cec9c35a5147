import GatehouseSecurity
import Synchronization
import Testing

@testable import GatehouseConsole

/// An operator's script can't take the processor from players (UI-PERF).
@Suite struct ConsolePaceTests {
    /// A clock that stands still until a test moves it, and what was waited for, in nanoseconds.
    private final class Time: Sendable {
        let now = Mutex<UInt64>(1)
        let waits = Mutex<[UInt64]>([])

        func pace(_ pagesPerSecond: Int) -> ConsolePace {
            ConsolePace(pagesPerSecond: pagesPerSecond, now: { self.now.withLock { $0 } }) { nanoseconds in
                self.waits.withLock { $0.append(nanoseconds) }
            }
        }

        func advance(milliseconds: UInt64) { now.withLock { $0 += milliseconds * 1_000_000 } }
        func takeWaits() -> [UInt64] {
            waits.withLock { waits in
                defer { waits = [] }; return waits
            }
        }
    }

    @Test("A burst is answered at once, then a page each fifth of a second, and who asks for too many is refused")
    func burst() async throws {
        let time = Time()
        let pace = time.pace(5)
        for _ in 0..<20 { try await pace.wait("kim") }
        #expect(time.takeWaits().isEmpty)
        for _ in 0..<2 { try await pace.wait("kim") }
        #expect(time.takeWaits() == [200_000_000, 400_000_000])
        try await pace.wait("lee")
        #expect(time.takeWaits().isEmpty)
        for _ in 0..<23 { try await pace.wait("kim") }
        #expect(time.takeWaits().last == 5_000_000_000)
        // A refused page does not count.
        for _ in 0..<1_000 {
            let refusal = await #expect(throws: Refusal.self) { try await pace.wait("kim") }
            #expect(refusal?.httpStatus == 429)
        }
        time.advance(milliseconds: 200)
        try await pace.wait("kim")
        #expect(time.takeWaits() == [5_000_000_000])
        time.advance(milliseconds: 60_000)
        try await pace.wait("kim")
        #expect(time.takeWaits().isEmpty)
    }

    @Test("Without a limit nothing waits")
    func noLimit() async throws {
        let time = Time()
        let pace = time.pace(0)
        for _ in 0..<1_000 { try await pace.wait("kim") }
        #expect(time.takeWaits().isEmpty && pace.count == 0)
    }

    @Test("Sessions that have used nothing lately are forgotten")
    func forgetting() async throws {
        let time = Time()
        let pace = time.pace(5)
        for number in 0..<5_000 {
            try await pace.wait("session-\(number)")
            time.advance(milliseconds: 1_000)
        }
        #expect(pace.count < 1_100)
    }
}
