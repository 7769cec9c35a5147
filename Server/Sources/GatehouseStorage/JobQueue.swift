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

    /// Waits for jobs and takes the oldest, at most `limit`: one, and those behind it while all are such that `goTogether`.
    /// Empty once the queue is closed and nothing is left.
    func take(atMost limit: Int, while goTogether: (Job) -> Bool = { _ in true }) -> [Job] {
        condition.lock()
        defer { condition.unlock() }
        if jobs.count == first, !isClosed {
            // Whoever has just been answered is likely to ask again: to give way once costs less than to sleep and be woken.
            condition.unlock()
            sched_yield()
            condition.lock()
        }
        while jobs.count == first {
            if isClosed { return [] }
            condition.wait()
        }
        var count = 1
        if goTogether(jobs[first]) {
            while count < min(limit, jobs.count - first), goTogether(jobs[first + count]) { count += 1 }
        }
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

/// What one thread of an engine does.
protocol EngineWorker: AnyObject, Sendable {
    /// Works until the queue is closed and empty.
    func run()
    func disconnect()
}

/// Threads that end, and callers that wait for their end.
final class EngineThreads: Sendable {
    private let group = DispatchGroup()

    /// - Parameter worker: what the thread runs; its connection is closed before the thread counts as ended.
    func start(_ name: String, _ worker: any EngineWorker) {
        group.enter()
        let thread = Thread { [group] in
            worker.run()
            worker.disconnect()
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
