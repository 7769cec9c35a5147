import Foundation

/// What waits for an engine's threads, up to a bound.
final class JobQueue: @unchecked Sendable {  // Everything below the condition is touched only with it locked.
    private let condition = NSCondition()
    private let limit: Int
    private let patienceNanoseconds: UInt64
    private var jobs: [Job] = []
    private var first = 0
    private var isClosed = false

    /// - Parameters:
    ///   - limit: how many jobs may wait.
    ///   - patienceSeconds: how long one may wait. Who asked for it has given up by then, and to do it all the same would
    ///     only make the others wait.
    init(limit: Int, patienceSeconds: Double) {
        self.limit = limit
        patienceNanoseconds = UInt64(patienceSeconds * 1e9)
    }

    var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return jobs.count - first
    }

    /// Refuses the job at once when too many wait, or after ``close()``.
    func add(_ job: Job) {
        condition.lock()
        let refusal: StorageError? = isClosed ? .closed : jobs.count - first >= limit ? .overloaded : nil
        if refusal == nil {
            job.enqueuedAt = MonotonicClock.nanoseconds
            jobs.append(job)
            condition.signal()
        }
        condition.unlock()
        if let refusal { job.fail(refusal) }
    }

    /// Takes over jobs that were accepted before, however many wait here.
    func takeOver(_ accepted: [Job]) {
        // Most batches leave nothing over: then no thread is to be woken.
        if accepted.isEmpty { return }
        condition.lock()
        jobs += accepted
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for jobs and takes the oldest, at most `limit`. Empty once the queue is closed and nothing is left.
    func take(atMost limit: Int) -> [Job] {
        while true {
            let taken = wait(atMost: limit)
            if taken.isEmpty { return [] }
            let now = MonotonicClock.nanoseconds
            let isLate = { (job: Job) in now &- job.enqueuedAt > self.patienceNanoseconds }
            guard taken.contains(where: isLate) else { return taken }
            for job in taken where isLate(job) { job.fail(StorageError.overloaded) }
            let inTime = taken.filter { !isLate($0) }
            if !inTime.isEmpty { return inTime }
        }
    }

    private func wait(atMost limit: Int) -> [Job] {
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

    /// Lets nothing more in. Threads end when what was let in is done.
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
