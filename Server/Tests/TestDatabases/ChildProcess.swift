import Foundation
import Synchronization

/// A child process whose standard output and standard error are one stream. It inherits nothing else from this process, except, if
/// requested, a stream of lines as its standard input: an inherited listening socket, for example, would stay open as long as it runs.
/// It uses `posix_spawn`, because Foundation's `Process` sometimes crashes when tests start many of them (Swift 6.3, Linux).
public final class ChildProcess: Sendable {
    private let id: pid_t
    private let output: Int32
    /// Where its standard input is written; nil if it has none, or it is closed.
    private let input: Mutex<Int32?>
    private let executable: String
    /// The id may belong to another process once the exit status has been fetched.
    private let hasEnded = Mutex(false)

    public struct NotStarted: Error {
        let executable: String
        let error: Int32
    }

    /// - Parameters:
    ///   - executable: a path, or a name in `PATH`.
    ///   - environment: nil means this process's own.
    ///   - hasInput: whether it has an input for ``write(_:)``; otherwise its input is empty.
    public init(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil, folder: String? = nil,
        hasInput: Bool = false
    ) throws {
        // Glibc's call that changes the folder is not in Swift's import of it; `env` execs the child.
        let command = (folder.map { ["env", "-C", $0] } ?? []) + [executable] + arguments
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        self.executable = executable
        let input = hasInput ? try Self.makePipe(executable) : nil
        self.input = Mutex(input?.writing)
        defer { if let input { close(input.reading) } }
        do {
            (id, output) = try Self.spawn(command, variables, input: input?.reading)
        } catch {
            if let input { close(input.writing) }
            throw error
        }
    }

    /// Writes a line to its standard input. If it has ended, the line is lost.
    public func write(_ line: String) {
        input.withLock { input in
            guard let input else { return }
            var bytes = Array("\(line)\n".utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return }
                bytes = bytes.dropFirst(count)
            }
        }
    }

    /// Closes its standard input.
    public func closeInput() {
        input.withLock { input in
            if let open = input { close(open) }
            input = nil
        }
    }

    /// Makes a pair of sockets, because writing to a pipe without a reader would end this process by a signal.
    private static func makePipe(_ executable: String) throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw NotStarted(executable: executable, error: errno)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Closes a child's descriptors from a number on (glibc 2.34). Swift's import of glibc lacks it.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }

    private static func spawn(
        _ command: [String], _ variables: [String], input: Int32?
    ) throws -> (id: pid_t, output: Int32) {
        guard let closeFrom else { throw NotStarted(executable: command[0], error: ENOSYS) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(executable: command[0], error: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        _ = closeFrom(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A thread that blocks signals must not pass that on to the child.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        let error = withCStrings(command) { arguments in
            withCStrings(variables) { posix_spawnp(&child, command[0], &actions, &attributes, arguments, $0) }
        }
        guard error == 0 else {
            close(ends[0])
            throw NotStarted(executable: command[0], error: error)
        }
        return (child, ends[0])
    }

    private static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }

    public func signal(_ number: Int32) {
        hasEnded.withLock { if !$0 { kill(id, number) } }
    }

    /// Its lines as they come, and then its exit status. Call it only once. A signal counts as in the shell: 128 and more.
    ///
    /// - Parameter seconds: when it is killed, because no test takes so long. The last line then says so.
    public func follow(
        forSeconds seconds: Int = 900, line: @escaping @Sendable (String) -> Void,
        end: @escaping @Sendable (Int32) -> Void
    ) {
        Thread.detachNewThread { [self] in
            let deadline = ContinuousClock.now + .seconds(seconds)
            readLines(until: deadline, line)
            close(output)
            closeInput()
            // Most processes end when their output ends.
            while true {
                if let status = endStatus() {
                    let signal = status & 0x7f
                    return end(signal == 0 ? (status >> 8) & 0xff : 128 + signal)
                }
                if ContinuousClock.now > deadline { signal(SIGKILL) }
                usleep(1_000)
            }
        }
    }

    private func endStatus() -> Int32? {
        hasEnded.withLock { hasEnded in
            var status: Int32 = 0
            guard waitpid(id, &status, WNOHANG) != 0 else { return nil }
            hasEnded = true
            return status
        }
    }

    private func readLines(until deadline: ContinuousClock.Instant, _ line: (String) -> Void) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let left = max(0, (deadline - ContinuousClock.now).components.seconds)
            if poll(&waiting, 1, Int32(clamping: left * 1_000)) == 0, left == 0 {
                line("*** \(executable) was killed: it had not ended in the time that a test has ***")
                return signal(SIGKILL)
            }
            guard waiting.revents != 0 else { continue }
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { break }
            rest += buffer[..<count]
            while let newline = rest.firstIndex(of: 10) {
                line(String(decoding: rest[..<newline], as: UTF8.self))
                rest.removeSubrange(...newline)
            }
        }
        if !rest.isEmpty { line(String(decoding: rest, as: UTF8.self)) }
    }
}
