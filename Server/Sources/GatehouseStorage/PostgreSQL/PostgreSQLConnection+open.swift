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
