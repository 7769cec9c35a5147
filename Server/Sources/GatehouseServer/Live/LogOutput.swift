import GatehousePlatform
import Synchronization

/// Where the lines of the log go. A line is written whole, and one that is lost is counted.
///
/// A line is written by the thread that has it, and not by a thread of its own: a line that was told must be on the pipe when the process
/// dies, and a queue in memory would die with it. What a full pipe costs is bounded by the time that a line may wait.
final class LogOutput: Sendable {
    /// A process has one standard error stream, so all its loggers share this value.
    static let standardError = LogOutput(STDERR_FILENO)

    private let descriptor: Int32
    private let patienceMilliseconds: Int32
    /// Keeps lines of several threads apart where one needs several writes. The value is whether the stream ends with a part of a line.
    private let isTorn = Mutex(false)
    private let lost = Atomic(0)

    /// - Parameter patienceMilliseconds: how long a line may wait until a full pipe is read.
    init(_ descriptor: Int32, patienceMilliseconds: Int32 = 100) {
        self.descriptor = descriptor
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// The number of lines that were not written whole.
    var lostLines: Int { lost.load(ordering: .relaxed) }

    func writeLine(_ line: [UInt8]) {
        let isWritten = isTorn.withLock { isTorn in
            // Otherwise this line would continue the torn one, and nobody could read it.
            if isTorn {
                guard write([UInt8(ascii: "\n")]) == 1 else { return false }
                isTorn = false
            }
            let count = write(line)
            isTorn = count > 0 && count < line.count
            return count == line.count
        }
        if !isWritten { lost.add(1, ordering: .relaxed) }
    }

    /// Writes as much as the stream takes in time.
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
        return poll(&event, 1, patienceMilliseconds) == 1
    }
}
