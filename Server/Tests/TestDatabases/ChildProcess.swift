import Foundation
import Synchronization

/// A child process whose standard output and standard error are one stream, and that has nothing else of this process but, where
/// it is asked for, a stream of lines as its standard input: what it inherited, such as a listening socket, would stay open for as long as it runs. By `posix_spawn`: Foundation's `Process`
/// crashes now and then when tests start many of them (Swift 6.3, Linux).
public final class ChildProcess: Sendable {
    private let id: pid_t
    private let output: Int32
    /// Where its standard input is written to; nil when it has none, or no more.
    private let input: Mutex<Int32?>
    private let executable: String
    /// An id may be another process's as soon as the end has been asked for.
    private let hasEnded = Mutex(false)

    public struct NotStarted: Error {
        let executable: String
        let error: Int32
    }

    /// - Parameters:
    ///   - executable: a path, or a name that `PATH` has.
    ///   - environment: nil takes this process's own.
    ///   - hasInput: whether ``write(_:)`` reaches it; it finds an empty input otherwise.
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

    /// Writes a line to its standard input. One that has ended reads no more: the line is lost.
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

    /// Tells it that no line follows.
    public func closeInput() {
        input.withLock { input in
            if let open = input { close(open) }
            input = nil
        }
    }

    /// A pair of sockets, since writing to a pipe whose reader has gone would end this process by a signal.
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
        // A thread that blocks signals must not pass that on.
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

    /// Its lines as they come, and then how it ended; to be called once. A signal counts as the shell counts it: 128 and more.
    ///
    /// - Parameter seconds: when it is killed, since no test takes so long; its last line says so then.
    public func follow(
        forSeconds seconds: Int = 900, line: @escaping @Sendable (String) -> Void,
        end: @escaping @Sendable (Int32) -> Void
    ) {
        Thread.detachNewThread { [self] in
            let deadline = ContinuousClock.now + .seconds(seconds)
            readLines(until: deadline, line)
            close(output)
            closeInput()
            // Most end with their output.
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
