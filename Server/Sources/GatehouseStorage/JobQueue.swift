import Foundation

/// What waits for an engine's threads, up to a bound.
final class JobQueue: @unchecked Sendable {  // Everything below the condition is touched only with it locked.
    private let condition = NSCondition()
    private let limit: Int
    private var jobs: [Job] = []
    private var first = 0
    private var isClosed = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Refuses the job at once when too many wait, or after ``close()``.
    func add(_ job: Job) {
        condition.lock()
        let refusal: StorageError? = isClosed ? .closed : jobs.count - first >= limit ? .overloaded : nil
        if refusal == nil {
            jobs.append(job)
            condition.signal()
        }
        condition.unlock()
        if let refusal { job.fail(refusal) }
    }

    /// Waits for jobs and takes the oldest, at most `limit`. Empty once the queue is closed and nothing is left.
    func take(atMost limit: Int) -> [Job] {
        condition.lock()
        defer { condition.unlock() }
        while jobs.count == first {
            if isClosed { return [] }
            condition.wait()
        }
        let count = min(limit, jobs.count - first)
        let taken = Array(jobs[first..<first + count])
        first += count
        // Taken jobs are dropped now and then, not each time: that would move the whole queue.
        if first == jobs.count || first > 1_024 {
            jobs.removeFirst(first)
            first = 0
        }
        return taken
    }

    /// Whether a thread should still wait for something.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }
}

/// Threads that end, and callers that wait for their end.
final class EngineThreads: Sendable {
    private let group = DispatchGroup()

    func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        let thread = Thread { [group] in
            body()
            group.leave()
        }
        thread.name = name
        thread.stackSize = 1 << 20
        thread.start()
    }

    func join() async {
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }
}
