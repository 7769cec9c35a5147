import GatehousePlatform

/// A PostgreSQL client program as a child process. Its output is read line by line.
struct PostgreSQLTool {
    let name: String
    /// Variables for only the child's environment. A process's arguments can be read by everyone on the machine.
    var environment: [String: String] = [:]
    private static let keptLines = 5

    /// Runs the program until it ends.
    ///
    /// - Parameter line: receives each line of its standard output and standard error.
    /// - Throws: ``DatabaseCopyError/toolMissing(_:)``, or ``DatabaseCopyError/toolFailed(_:_:)`` with its last lines.
    func run(_ arguments: [String], line: (String) -> Void = { _ in }) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw DatabaseCopyError.toolFailed(name, DatabaseCopy.errorText()) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let started = Result { try spawn([name] + arguments, output: ends[1]) }
        close(ends[1])
        let output = OpenFile(descriptor: ends[0])
        let child = try started.get()
        var last: [String] = []
        Self.eachLine(of: output) { text in
            line(text)
            last = Array((last + [text]).suffix(Self.keptLines))
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            throw DatabaseCopyError.toolFailed(name, last.isEmpty ? "status \(status)" : last.joined(separator: "; "))
        }
    }

    private func spawn(_ command: [String], output: Int32) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var child: pid_t = 0
        let error = Self.withCStrings(command) { arguments in
            Self.withCStrings(variables) { posix_spawnp(&child, name, &actions, nil, arguments, $0) }
        }
        switch error {
        case 0: return child
        case ENOENT: throw DatabaseCopyError.toolMissing(name)
        default: throw DatabaseCopyError.toolFailed(name, String(cString: strerror(error)))
        }
    }

    private static func withCStrings<Value>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return body(copies)
    }

    private static func eachLine(of file: OpenFile, _ take: (String) -> Void) {
        var rest: ArraySlice<UInt8> = []
        while let bytes = try? file.read(atMost: 65_536), !bytes.isEmpty {
            rest += bytes
            while let newline = rest.firstIndex(of: 0x0a) {
                take(String(decoding: rest[..<newline], as: UTF8.self))
                rest = rest[rest.index(after: newline)...]
            }
        }
        if !rest.isEmpty { take(String(decoding: rest, as: UTF8.self)) }
    }
}
