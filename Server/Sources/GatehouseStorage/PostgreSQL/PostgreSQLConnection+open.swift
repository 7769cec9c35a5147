import CLibPQ
import Foundation

extension PostgreSQLConnection {
    /// What a connection is for, which decides its settings.
    enum Purpose: Sendable {
        /// Logins, and everything else that a player or a game server waits for.
        ///
        /// - patienceSeconds: how long callers wait for their turn; the wait for a row's lock is twice as long.
        case calls(patienceSeconds: Double)
        /// Reports, with the planner's default settings.
        case reports(limitSeconds: Double)

        var settings: [String] {
            let general = [
                "SET idle_in_transaction_session_timeout = 30000", "SET TIME ZONE 'UTC'", "SET jit = off",
                // Only a write's own BEGIN overrides this.
                "SET default_transaction_read_only = on",
            ]
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
                    "SET statement_timeout = \(Int(limitSeconds * 1_000))", "SET plan_cache_mode = force_custom_plan",
                ]
            }
        }

        /// What an engine that distributes tables needs besides: it must see a statement's values to find the node that has the app.
        var distributedSettings: [String] {
            // Without this a batch's time limit for locks would not reach the nodes.
            let general = ["SET citus.propagate_set_commands = 'local'"]
            switch self {
            case .calls: return general + ["SET plan_cache_mode = auto"]
            case .reports: return general
            }
        }
    }

    /// Makes the settings that follow from a connection's purpose and from the engine that answers.
    ///
    /// - Returns: the setting of `synchronous_commit`, and whether the engine distributes tables.
    static func configure(
        _ pipeline: PostgreSQLPipeline, for purpose: Purpose
    ) throws -> (synchronousCommit: String?, isDistributed: Bool) {
        for setting in purpose.settings { try pipeline.send(command: setting) }
        var (synchronous, isDistributed): (String?, Bool) = (nil, false)
        try pipeline.send(
            """
            SELECT current_setting('synchronous_commit'), (SELECT count(*) FROM pg_extension WHERE extname = 'citus')
            """, Parameters([])
        ) { result in
            guard let number = result.rowNumbers.first else { return }
            if case .text(let value) = try result.value(row: number, column: 0) { synchronous = value }
            isDistributed = try result.value(row: number, column: 1) == .integer(1)
        }
        try pipeline.receive()
        guard isDistributed else { return (synchronous, false) }
        for setting in purpose.distributedSettings { try pipeline.send(command: setting) }
        try pipeline.receive()
        return (synchronous, true)
    }

    /// The connection parameters for libpq, in order. If a name occurs twice, the later value counts.
    static func settings(url: String, environment: [String: String]) -> [(name: String, value: String)] {
        let security = TransportSecurity.standardMode(for: url, environment: environment).map { [("sslmode", $0)] }
        // The settings after the URL override it, so that no connection can hang for ever.
        return (security ?? []) + [
            ("dbname", url), ("connect_timeout", "3"), ("client_encoding", "UTF8"), ("keepalives_idle", "10"),
            ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
            ("fallback_application_name", "gatehouse"),
        ]
    }

    /// Opens libpq's connection and enters its pipeline mode.
    static func open(_ url: String, notices: PostgreSQLNotices) throws -> OpaquePointer {
        let settings = settings(url: url, environment: ProcessInfo.processInfo.environment)
        let keys = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { (keys + values).forEach { free($0) } }
        let keyPointers = keys.map { UnsafePointer<CChar>($0) } + [nil]
        let valuePointers = values.map { UnsafePointer<CChar>($0) } + [nil]
        guard let handle = PQconnectdbParams(keyPointers, valuePointers, 1) else {
            throw StorageError.unavailable("out of memory")
        }
        notices.receive(from: handle)
        guard PQstatus(handle) == CONNECTION_OK, PQenterPipelineMode(handle) == 1 else {
            // Only the first line of libpq's message is used; it contains host and port.
            let reason = String(cString: PQerrorMessage(handle)).split(separator: "\n").first.map(String.init) ?? ""
            PQfinish(handle)
            throw StorageError.unavailable("PostgreSQL can't be reached: \(reason)")
        }
        return handle
    }
}
