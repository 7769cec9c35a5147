import CLibPQ
import GatehousePlatform

extension PostgreSQLConnection {
    /// What a connection is for, which decides its settings.
    enum Purpose: Sendable {
        /// Logins, and everything else that a player or a game server waits for.
        ///
        /// - patienceSeconds: how long callers wait for their turn; the wait for a row's lock is twice as long.
        case calls(patienceSeconds: Double)
        /// Reports, with the planner's default settings.
        case reports(limitSeconds: Double)
        /// A copy of whole tables (``DatabaseTransfer``), which takes as long as it needs.
        case copies
        /// Statements outside of transactions (``Database/maintain(_:)``).
        ///
        /// - patienceSeconds: how long each of them waits for other transactions.
        case maintenance(patienceSeconds: Double)

        /// What every session sets, because the server, the database or the role may have it otherwise. They are commands, because a pooler
        /// refuses parameters of a connection that it does not know.
        private static let general = [
            // How values and names are written, in both directions.
            "SET client_encoding = 'UTF8'", "SET bytea_output = 'hex'", "SET DateStyle = 'ISO, YMD'",
            "SET extra_float_digits = 1", "SET TIME ZONE 'UTC'", "SET quote_all_identifiers = off",
            // Migrations have backslashes in texts, and merged statements NULL as a word (`MergedStatement`).
            "SET standard_conforming_strings = on", "SET transform_null_equals = off",
            // A row that a policy hides is an error: a ban would be missing without a word.
            "SET row_security = off",
            // Only a transaction's own BEGIN says otherwise.
            "SET default_transaction_isolation = 'read committed'", "SET default_transaction_read_only = on",
            // A connection that waits for work is not to be ended, and what may take long has limits of its own. The second is there since
            // version 17.
            "SET idle_session_timeout = 0",
            "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'",
            "SET idle_in_transaction_session_timeout = 30000", "SET jit = off",
        ]

        var settings: [String] {
            let general = Self.general
            switch self {
            case .calls(let patienceSeconds):
                return general + [
                    "SET statement_timeout = \(Int(patienceSeconds * 3_000))",
                    "SET lock_timeout = \(Int(patienceSeconds * 2_000))",
                    // Every statement finds its rows by an index. A plan is made once and kept, possibly while the table is so small
                    // that a full scan looks cheaper, and such a plan must not remain when the table has grown.
                    "SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off",
                    "SET plan_cache_mode = force_generic_plan",
                ]
            case .reports(let limitSeconds):
                // A report's plan depends on its values, so it is made each time.
                return general + [
                    "SET statement_timeout = \(Int(limitSeconds * 1_000))", "SET lock_timeout = 0",
                    "SET plan_cache_mode = force_custom_plan",
                ]
            case .copies: return general + ["SET statement_timeout = 0", "SET lock_timeout = 0"]
            case .maintenance(let patienceSeconds):
                return general + [
                    "SET statement_timeout = 0", "SET lock_timeout = \(Int(patienceSeconds * 1_000))",
                    "SET default_transaction_read_only = off",
                ]
            }
        }

        /// What an engine that distributes tables needs besides: it must see a statement's values to find the node that has the app.
        var distributedSettings: [String] {
            // Without this a batch's time limit for locks would not reach the nodes.
            let general = ["SET citus.propagate_set_commands = 'local'"]
            switch self {
            case .calls: return general + ["SET plan_cache_mode = auto"]
            case .reports, .copies, .maintenance: return general
            }
        }
    }

    /// The connection parameters for libpq, in order. If a name occurs twice, the later value counts.
    static func settings(url: String, environment: [String: String]) -> [(name: String, value: String)] {
        let security = TransportSecurity.standardMode(for: url, environment: environment).map { ("sslmode", $0) }
        let target = PostgreSQLAddresses.standardTarget(for: url, environment: environment).map {
            ("target_session_attrs", $0)
        }
        // The settings after the URL override it, so that no connection can hang for ever.
        return [security, target].compactMap(\.self) + [
            ("dbname", url), ("connect_timeout", "3"), ("client_encoding", "UTF8"), ("keepalives_idle", "10"),
            ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
            ("fallback_application_name", "gatehouse"),
        ]
    }

    /// Opens libpq's connection and enters its pipeline mode.
    static func open(_ url: String, notices: PostgreSQLNotices) throws -> PostgreSQLHandle {
        let handle = try connect(url, notices: notices)
        guard handle.isOpen, PQenterPipelineMode(handle.pointer) == 1 else {
            throw StorageError.unavailable("PostgreSQL can't be reached: \(handle.reason)")
        }
        return handle
    }

    /// Makes a connection of libpq, which may have failed.
    ///
    /// - Parameter password: the one of a URL that has none.
    static func connect(
        _ url: String, password: String? = nil, notices: PostgreSQLNotices
    ) throws -> PostgreSQLHandle {
        var settings = settings(url: url, environment: ProcessInfo.processInfo.environment)
        if let password { settings.append(("password", password)) }
        let keys = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { (keys + values).forEach { free($0) } }
        let keyPointers = keys.map { UnsafePointer<CChar>($0) } + [nil]
        let valuePointers = values.map { UnsafePointer<CChar>($0) } + [nil]
        guard let pointer = PQconnectdbParams(keyPointers, valuePointers, 1) else {
            throw StorageError.unavailable("out of memory")
        }
        return PostgreSQLHandle(pointer, notices: notices)
    }
}

/// libpq's TLS settings (NET-3). libpq's own default is `prefer`, which continues unencrypted when the other side, or an attacker in
/// between, claims to have no TLS.
enum TransportSecurity {
    /// The `sslmode` for a URL that does not specify it: `require` when the database is on another machine. Nil if libpq's own setting
    /// applies: when the URL, the environment or a service file specifies it, and on this machine.
    static func standardMode(for url: String, environment: [String: String]) -> String? {
        guard let options = options(of: url) else { return nil }
        let isSaid =
            options["sslmode"] != nil || options["service"] != nil || environment["PGSSLMODE"] != nil
            || environment["PGSERVICE"] != nil
        // If there is an address, libpq connects to it, and uses the name only to check the certificate.
        let places = options["hostaddr"] ?? options["host"] ?? environment["PGHOSTADDR"] ?? environment["PGHOST"] ?? ""
        let isElsewhere = places.split(separator: ",").contains { !isThisMachine($0) }
        return !isSaid && isElsewhere ? "require" : nil
    }

    /// A socket's folder, an abstract socket, or a name or address of this machine.
    private static func isThisMachine(_ place: Substring) -> Bool {
        place.hasPrefix("/") || place.hasPrefix("@") || place == "localhost" || place == "::1"
            || isLoopback(String(place))
    }

    private static func isLoopback(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1 && withUnsafeBytes(of: &address) { $0[0] == 127 }
    }

    /// The URL's parameters, as parsed by libpq itself; nil when it can't be parsed.
    static func options(of url: String) -> [String: String]? {
        guard let parsed = PQconninfoParse(url, nil) else { return nil }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }
}

/// What has answered on a new connection.
struct PostgreSQLServer {
    /// The number of the process that serves the connection. Behind a pooler it is not the one that libpq was told.
    let process: Int32
    /// Whether the engine distributes tables over nodes (``Distribution``).
    let isDistributed: Bool
    private let isStandby: Bool
    private let synchronousCommit: String
    private let encoding: String

    /// Asks, without a setting or a prepared statement that would stay behind on a connection that a pooler shares.
    init(_ pipeline: PostgreSQLPipeline) throws {
        var process: Int32?
        var isStandby = true
        var synchronousCommit = ""
        var encoding = ""
        var isDistributed = false
        try pipeline.send(
            unprepared: """
                SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('synchronous_commit'),
                    current_setting('server_encoding'), EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
                """
        ) { result in
            for number in result.rowNumbers {
                let row = result.row(number)
                process = Int32(exactly: try row[0] as Int)
                isStandby = try row[1]
                synchronousCommit = try row[2]
                encoding = try row[3]
                isDistributed = try row[4]
            }
        }
        try pipeline.receive()
        guard let process else { throw StorageError.unavailable("PostgreSQL does not say who it is") }
        self.process = process
        self.isDistributed = isDistributed
        self.isStandby = isStandby
        self.synchronousCommit = synchronousCommit
        self.encoding = encoding
    }

    /// Throws if writes would fail here, or could be lost after they were acknowledged, or if not every text can be stored.
    ///
    /// A connection to a standby must not be kept: the standby goes on answering reads when the primary is back, so that nothing would
    /// ever close the connection.
    func requireUse(at place: String) throws {
        guard !isStandby else {
            throw StorageError.unavailable("PostgreSQL at \(place) is a standby, which takes no writes")
        }
        guard synchronousCommit != "off" else {
            throw StorageError.unavailable("PostgreSQL has synchronous_commit=off: an acknowledged write could be lost")
        }
        guard encoding == "UTF8" else {
            throw StorageError.unavailable(
                "the database in PostgreSQL has the encoding \(encoding), which can't hold every text. Make one with "
                    + "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0. `gatehouse backup` and `restore` move "
                    + "what this one holds")
        }
    }
}

/// A connection pooler in front of PostgreSQL, such as PgBouncer.
enum ConnectionPooler {
    static let refusal = StorageError.unavailable(
        "a connection pooler in front of PostgreSQL shares connections between clients, as PgBouncer does with "
            + "pool_mode = transaction. Gatehouse's connections keep settings and prepared statements, so set "
            + "pool_mode = session for this database, or connect to PostgreSQL itself")

    private static let rounds = 8

    /// Throws if the pooler lends its connections for a transaction or a statement only. Then a connection's settings and prepared
    /// statements would be found by others, and not by itself.
    ///
    /// The pooler can't be asked, so two connections compare which process of PostgreSQL answers them. In session mode each keeps its
    /// own. In the other modes both get the one that was used last, or, if the pooler takes them in turn, one connection gets another
    /// than before. Several rounds are made because other clients may use the same pool meanwhile.
    static func requireOwnSession(_ first: PostgreSQLPipeline, url: String, notices: PostgreSQLNotices) throws {
        let second = PostgreSQLPipeline(try PostgreSQLConnection.open(url, notices: notices))
        let (one, two) = (try process(first), try process(second))
        guard one != two else { throw refusal }
        for _ in 0..<rounds {
            // The first is asked twice in a row, because of two connections in turn each would get its own again.
            guard try process(first) == one, try process(first) == one, try process(second) == two else {
                throw refusal
            }
        }
    }

    private static func process(_ pipeline: PostgreSQLPipeline) throws -> Int32 {
        try PostgreSQLServer(pipeline).process
    }
}
