import ServiceLifecycle
import Synchronization
import Testing

@testable import GatehouseServer

/// What a server does periodically.
@Suite struct PeriodicServiceTests {
    private struct Stopped: Error {}

    private struct Nothing: Service {
        func run() async throws {}
    }

    @Test("A step that was cancelled in a part of its own is run again, and only a cancelled task ends its repetition")
    func cancellation() async throws {
        let runs = Atomic(0)
        let failures = Mutex<[String]>([])
        let work = Task {
            await Nothing().repeating(every: .zero) {
                switch runs.add(1, ordering: .relaxed).newValue {
                case 1: throw CancellationError()
                case 2: throw Stopped()
                case 3: return
                default:
                    withUnsafeCurrentTask { $0?.cancel() }
                    throw CancellationError()
                }
            } failed: { error in
                failures.withLock { $0.append("\(type(of: error))") }
            }
        }
        await work.value
        #expect(runs.load(ordering: .relaxed) == 4)
        #expect(failures.withLock { $0 } == ["CancellationError", "Stopped"])
    }
}
