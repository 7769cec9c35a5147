import GatehousePlatform

/// Copies PostgreSQL databases with PostgreSQL's own client programs, in archives of `pg_dump`'s custom format.
enum PostgreSQLCopy {
    static func write(_ url: String, to path: String, progress: (String) -> Void) throws {
        let target = try Target(url)
        try target.tool("pg_dump").run(
            [
                "--format=custom", "--no-owner", "--no-privileges", "--no-password", "--verbose", "--file=\(path)",
                "--dbname=\(target.connection)",
            ]
        ) { line in
            // Only the tables are reported as progress, because they take the time.
            if let table = line.firstMatch(of: #/dumping contents of table "([^"]+)"/#) {
                progress("copying the table \(table.1)")
            }
        }
    }

    /// Returns the number of the newest migration.
    static func check(_ path: String) throws -> Int {
        do {
            // Writing out the whole archive is the way to read all of it.
            try PostgreSQLTool(name: "pg_restore").run(["--file=/dev/null", path])
            var migrations: [Int] = []
            try PostgreSQLTool(name: "pg_restore").run([
                "--data-only", "--table=schema_migrations", "--file=-", path,
            ]) { line in
                if let row = line.firstMatch(of: #/^([0-9]{1,9})\t/#), let number = Int(row.1) {
                    migrations.append(number)
                }
            }
            guard let newest = migrations.max() else {
                throw DatabaseCopyError.damaged(path, "it holds no schema of Gatehouse")
            }
            return newest
        } catch DatabaseCopyError.toolFailed(_, let reason) {
            throw DatabaseCopyError.damaged(path, reason)
        }
    }

    static func restore(
        _ path: String, to url: String, replacing: Bool, progress: (String) -> Void
    ) async throws {
        let target = try Target(url)
        try await clear(url, replacing: replacing)
        progress("restoring")
        do {
            try target.tool("pg_restore").run([
                "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-password",
                "--dbname=\(target.connection)", path,
            ])
        } catch DatabaseCopyError.toolFailed(let name, let reason) {
            throw DatabaseCopyError.toolFailed(name, "\(reason). The database is empty now, and the copy is as it was")
        }
    }

    /// Drops all tables if this was requested.
    private static func clear(_ url: String, replacing: Bool) async throws {
        try await DatabaseCopy.withOpenAlone(DatabaseLocation(url)) { database in
            try await database.transact { tx in
                let tables = try tx.rows(
                    // Partitions leave with their table.
                    """
                    SELECT CAST(relname AS TEXT) FROM pg_class
                    WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'p') AND NOT relispartition
                    ORDER BY 1
                    """
                ) { row in try row[0] as String }
                guard replacing || tables.isEmpty else { throw DatabaseCopyError.holdsData }
                for table in tables {
                    let name = table.replacing("\"", with: "\"\"")
                    try tx.execute(SQL(stringLiteral: "DROP TABLE public.\"\(name)\" CASCADE"))
                }
            }
        }
    }

    /// The number of connections of servers and commands besides the own one.
    static let others: SQL = """
        SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name = \("gatehouse") AND pid <> pg_backend_pid()
        """

    /// PostgreSQL still lists a connection for a moment after its process has ended, so the check is repeated for two seconds.
    static func requireAlone(_ database: Database) async throws {
        var others = 0
        for _ in 0..<20 {
            // A single statement outside of a transaction is used, so that this process has no second connection that would be counted.
            others = try await database.rows(Self.others) { row in try row[0] as Int }.first ?? 0
            if others == 0 { return }
            usleep(100_000)
        }
        throw DatabaseCopyError.inUse("a server, or another command with \(others) connections,")
    }

    /// The parameters for a client program's connection. The password is not in its arguments.
    private struct Target {
        let connection: String
        private let environment: [String: String]

        init(_ url: String) throws {
            guard var options = TransportSecurity.options(of: url) else {
                throw StorageError.unavailable("the URL of the database can't be read")
            }
            options["sslmode"] =
                TransportSecurity.standardMode(for: url, environment: ProcessInfo.processInfo.environment)
                ?? options["sslmode"]
            environment = options.removeValue(forKey: "password").map { ["PGPASSWORD": $0] } ?? [:]
            guard options["sslpassword"] == nil else {
                throw StorageError.unavailable("the URL has sslpassword, which can't be given to pg_dump unseen")
            }
            options["connect_timeout"] = options["connect_timeout"] ?? "10"
            connection = options.sorted { $0.key < $1.key }.map { name, value in
                let quoted = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
                return "\(name)='\(quoted)'"
            }.joined(separator: " ")
        }

        func tool(_ name: String) -> PostgreSQLTool { PostgreSQLTool(name: name, environment: environment) }
    }
}

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
