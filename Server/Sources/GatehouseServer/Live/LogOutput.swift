import Foundation
import Synchronization

/// Where the lines of the log go. A line is written whole, and one that is lost is counted.
final class LogOutput: Sendable {
    /// A process has one standard error stream, so all its loggers share this value.
    static let standardError = LogOutput(STDERR_FILENO)

    private let descriptor: Int32
    private let patienceMilliseconds: Int32
    /// Keeps lines of several threads apart where one needs several writes.
    private let turn = Mutex(())
    private let lost = Atomic(0)

    /// - Parameter patienceMilliseconds: how long a line may wait until a full pipe is read.
    init(_ descriptor: Int32, patienceMilliseconds: Int32 = 100) {
        self.descriptor = descriptor
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// The number of lines that were not written whole.
    var lostLines: Int { lost.load(ordering: .relaxed) }

    func writeLine(_ line: [UInt8]) {
        let isWritten = turn.withLock { _ in
            line.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    if count > 0 {
                        rest = rest.dropFirst(count)
                    } else if !(count < 0 && errno == EINTR), !(count < 0 && errno == EAGAIN && isReady()) {
                        return false
                    }
                }
                return true
            }
        }
        if !isWritten { lost.add(1, ordering: .relaxed) }
    }

    /// Waits until a stream that does not block takes more.
    private func isReady() -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&event, 1, patienceMilliseconds) == 1
    }
}
