import Synchronization
import Testing

@testable import GatehousePlatform

@Suite struct SystemThreadTests {
    /// A gate that lets as many threads through as it is told to.
    private final class Gate: Sendable {
        private let condition = ConditionLock()
        private let state = Mutex((open: 0, passed: 0))

        var passed: Int { state.withLock { $0.passed } }

        func open(for count: Int) {
            condition.withLock { state.withLock { $0.open += count } }
            if count == 1 { condition.signal() } else { condition.broadcast() }
        }

        func pass() {
            condition.lock()
            defer { condition.unlock() }
            while state.withLock({ $0.open == 0 }) { condition.wait() }
            state.withLock { state in
                state.open -= 1
                state.passed += 1
            }
        }
    }

    @Test("Threads that wait for a condition go on one by one, or all at once")
    func conditions() async {
        let gate = Gate()
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        SystemThread.start("test-\(number)-with-a-long-name", stackBytes: 1 << 18) {
                            gate.pass()
                            continuation.resume()
                        }
                    }
                }
            }
            gate.open(for: 1)
            await group.next()
            #expect(gate.passed == 1)
            gate.open(for: 7)
        }
        #expect(gate.passed == 8)
    }
}
