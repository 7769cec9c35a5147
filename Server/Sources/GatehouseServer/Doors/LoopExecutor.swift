import NIOCore
import Synchronization

/// Runs a request's task on the event loop of its connection. After waiting for the database, a task would otherwise continue on any
/// thread and then switch to its connection's: two more threads to wake.
final class LoopExecutor: TaskExecutor {
    /// A loop has no place for a value of its own, and its executor must outlive each connection. So the executors are found by their
    /// loop, and there is nothing to inject: they have no state, and are the same for every server of the process.
    private static let executors = Mutex<[ObjectIdentifier: LoopExecutor]>([:])

    private let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// There are as many as event loops, and they live as long as the process.
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
