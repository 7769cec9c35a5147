public import Foundation
import Synchronization

/// A child process whose standard output and standard error are one stream. By `posix_spawn`: Foundation's `Process` crashes
/// now and then when tests start many of them (Swift 6.3, Linux).
public struct ChildProcess: Sendable {
    public let id: pid_t
    private let output: Int32

    /// One child is made at a time: else one would inherit another's stream, and it would not end.
    private static let making = Mutex(())

    public struct NotStarted: Error {
        let executable: String
        let error: Int32
    }

    /// - Parameters:
    ///   - executable: a path, or a name that `PATH` has.
    ///   - environment: nil takes this process's own.
    public init(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil, folder: String? = nil
    ) throws {
        // Glibc's call that changes the folder is not in Swift's import of it; `env` execs the child.
        let command = (folder.map { ["env", "-C", $0] } ?? []) + [executable] + arguments
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        (id, output) = try Self.making.withLock { _ in try Self.spawn(command, variables) }
    }

    private static func spawn(_ command: [String], _ variables: [String]) throws -> (id: pid_t, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(executable: command[0], error: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
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

    /// Its lines as they come, and then how it ended; to be called once. A signal counts as the shell counts it: 128 and more.
    public func follow(line: @escaping @Sendable (String) -> Void, end: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(output, &buffer, buffer.count), count > 0 {
                rest += buffer[..<count]
                while let newline = rest.firstIndex(of: 10) {
                    line(String(decoding: rest[..<newline], as: UTF8.self))
                    rest.removeSubrange(...newline)
                }
            }
            if !rest.isEmpty { line(String(decoding: rest, as: UTF8.self)) }
            close(output)
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0 && errno == EINTR {}
            let signal = status & 0x7f
            end(signal == 0 ? (status >> 8) & 0xff : 128 + signal)
        }
    }
}
