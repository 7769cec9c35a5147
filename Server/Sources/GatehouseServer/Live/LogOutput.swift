import GatehousePlatform
import GatehouseSecurity

/// Where the lines of the log go. A thread writes them from a queue with a bound, so that a stream which nobody reads holds up no caller.
/// A line that finds no room, or can't be written, is counted as lost, and the next line that can be written says how many are.
///
/// A process that is killed takes its queue with it. ``AuditRecovery`` reports the changes among those lines again: a node's progress is
/// stored only after its lines have been written (``flush()``).
final class LogOutput: @unchecked Sendable {  // Everything below the condition is used only with it locked.
    /// A process has one standard error stream, so all its loggers share this value.
    static let standardError: LogOutput = {
        // Every command ends here, also by an error, and what it has said last is still in the queue.
        atexit { LogOutput.standardError.close() }
        return LogOutput(STDERR_FILENO) { JSONLogHandler.line(ofLost: $0, at: ServerEnvironment.live.now()) }
    }()
    /// How long the end of a process waits for the stream.
    private static let closingMilliseconds = 2_000

    private let descriptor: Int32
    private let capacity: Int
    private let lossLine: @Sendable (Int) -> [UInt8]
    private let condition = ConditionLock()
    private var lines: [[UInt8]] = []
    /// The size of the lines that are not settled, which are in the queue or being written.
    private var unsettledBytes = 0
    /// How many lines the queue has taken, and how many of them were written or lost.
    private var (taken, settled) = (0, 0)
    /// How many lines were lost, and how many of them no line has told of.
    private var (lost, untold) = (0, 0)
    private var (hasThread, isClosed, hasEnded) = (false, false, false)

    /// - Parameters:
    ///   - capacity: the bytes of all lines that may wait.
    ///   - lossLine: what is written about lost lines, by their number.
    init(_ descriptor: Int32, capacity: Int = 8 << 20, lossLine: @escaping @Sendable (Int) -> [UInt8]) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.lossLine = lossLine
    }

    /// The number of lines that were not written whole.
    var lostLines: Int { condition.withLock { lost } }

    /// Hands a line to the thread, and returns at once.
    func writeLine(_ line: [UInt8]) {
        condition.lock()
        guard !isClosed, unsettledBytes + line.count <= capacity else {
            lost += 1
            untold += 1
            return condition.unlock()
        }
        lines.append(line)
        unsettledBytes += line.count
        taken += 1
        let isFirst = !hasThread
        hasThread = true
        condition.signal()
        condition.unlock()
        if isFirst { SystemThread.start("gatehouse-log", stackBytes: 1 << 18) { [self] in run() } }
    }

    /// Waits until each line that was handed over before this call is written or lost.
    ///
    /// - Parameter patience: how many milliseconds the last of its waits takes, each of which is twice as long as the one before.
    /// - Returns: false if some lines are still waiting.
    func flush(patience: Int = 1_024) async -> Bool {
        let target = condition.withLock { taken }
        var pause = 1
        while condition.withLock({ settled < target }) {
            guard pause <= patience, (try? await Task.sleep(for: .milliseconds(pause))) != nil else { return false }
            pause *= 2
        }
        return true
    }

    /// Takes no more lines, and waits two seconds at most until the thread has written what is there and has ended.
    ///
    /// - Returns: whether it has ended.
    @discardableResult
    func close() -> Bool {
        condition.withLock {
            isClosed = true
            condition.signal()
        }
        for _ in 0..<Self.closingMilliseconds {
            if condition.withLock({ hasEnded || !hasThread }) { return true }
            usleep(1_000)
        }
        return false
    }

    // MARK: The thread

    private func run() {
        var isTorn = false
        while let batch = take() {
            for line in batch {
                let isWritten = write(line, &isTorn)
                condition.withLock {
                    unsettledBytes -= line.count
                    settled += 1
                    if !isWritten {
                        lost += 1
                        untold += 1
                    }
                }
            }
            let count = condition.withLock { untold }
            if count > 0, write(lossLine(count), &isTorn) { condition.withLock { untold -= count } }
        }
        condition.withLock { hasEnded = true }
    }

    /// Waits for lines, and takes all of them; nil when the queue is closed and empty.
    private func take() -> [[UInt8]]? {
        condition.lock()
        defer { condition.unlock() }
        while lines.isEmpty {
            if isClosed { return nil }
            condition.wait()
        }
        defer { lines = [] }
        return lines
    }

    /// Writes a line whole; false if it can't be.
    ///
    /// - Parameter isTorn: whether the stream ends with a part of a line. Another one would continue it, and nobody could read it.
    private func write(_ line: [UInt8], _ isTorn: inout Bool) -> Bool {
        if isTorn {
            guard write([UInt8(ascii: "\n")]) == 1 else { return false }
            isTorn = false
        }
        let count = write(line)
        isTorn = count > 0 && count < line.count
        return count == line.count
    }

    /// Writes as much as the stream takes before it fails, however long that takes.
    ///
    /// - Returns: the number of written bytes.
    private func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = GatehousePlatform.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if !(count < 0 && errno == EINTR), !(count < 0 && errno == EAGAIN && isReady()) {
                    break
                }
            }
            return bytes.count - rest.count
        }
    }

    /// Waits until a stream that does not block takes more.
    private func isReady() -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&event, 1, -1)
            if count >= 0 || errno != EINTR { return count == 1 }
        }
    }
}
