import NIOCore
import Synchronization

/// Runs a request's task on the event loop of its connection. A task that has waited for the database would otherwise go on
/// wherever there is room, and from there to its connection: two threads more to wake.
final class LoopExecutor: TaskExecutor {
    private static let executors = Mutex<[ObjectIdentifier: LoopExecutor]>([:])

    private let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// There are as many as processors, and they last as long as the process.
    static func of(_ loop: any EventLoop) -> LoopExecutor {
        executors.withLock { executors in
            if let executor = executors[ObjectIdentifier(loop)] { return executor }
            let executor = LoopExecutor(loop)
            executors[ObjectIdentifier(loop)] = executor
            return executor
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
