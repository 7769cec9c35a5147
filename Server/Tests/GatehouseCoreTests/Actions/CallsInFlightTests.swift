import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct CallsInFlightTests {
    private static func once(_ key: String, by device: String = "phone") -> CallIdentity {
        CallIdentity(
            call: Idempotency.Call(app: TestCore.app, key: key, requestHash: [1]), owner: .device(KeyThumbprint(device))
        )
    }

    /// A run of the call "a" that has begun, and ends with a number when the gate opens.
    private static func begin(_ number: Int, in runs: CallsInFlight, until gate: Gate) async -> Task<Int, any Error> {
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let run = Task {
            try await runs.alone(once("a")) {
                beginning.yield()
                await gate.wait()
                return number
            }
        }
        for await _ in began { break }
        return run
    }

    @Test("A repetition waits, and calls of other keys and owners do not", .timeLimit(.minutes(1)))
    func repetition() async throws {
        let (runs, gate) = (CallsInFlight(), Gate())
        let first = await Self.begin(1, in: runs, until: gate)
        let second = Task { try await runs.alone(Self.once("a")) { 2 } }
        try await eventually("waiting repetition") { runs.waiting(for: Self.once("a")) > 0 }
        #expect(try await runs.alone(Self.once("b")) { 3 } == 3)
        #expect(try await runs.alone(Self.once("a", by: "tablet")) { 4 } == 4)
        #expect(try await runs.alone(.never) { 5 } == 5)
        #expect(runs.waiting(for: Self.once("a")) == 1)
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(try await runs.alone(Self.once("a")) { 6 } == 6)
    }

    @Test("A repetition whose client goes waits no more, and only so many may wait", .timeLimit(.minutes(1)))
    func departure() async throws {
        let (runs, gate) = (CallsInFlight(), Gate())
        let first = await Self.begin(1, in: runs, until: gate)
        let others = (0..<CallsInFlight.limit).map { _ in Task { try await runs.alone(Self.once("a")) {} } }
        try await eventually("last of the repetitions that may wait") {
            runs.waiting(for: Self.once("a")) >= CallsInFlight.limit
        }
        await #expect(throws: IdentityFailure.busy) { try await runs.alone(Self.once("a")) {} }
        others[0].cancel()
        await #expect(throws: CancellationError.self) { try await others[0].value }
        #expect(runs.waiting(for: Self.once("a")) == CallsInFlight.limit - 1)
        gate.open()
        #expect(try await first.value == 1)
        for other in others.dropFirst() { try await other.value }
    }
}
