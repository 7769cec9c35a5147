/// How the tables lie on the nodes of an engine that distributes them (Citus, `docs/scaling.md`). What is not named here stays on the
/// coordinator: operators and what they did, the audit log, keys of the vault, and the table of migrations.
public struct Distribution: Sendable {
    /// Small tables of settings, which every node has as a whole.
    public let reference: [StaticString]
    /// Tables of players, divided by `app_id`, so that all rows of an app lie on one node. The others are held beside the first.
    public let distributed: [StaticString]

    public init(reference: [StaticString], distributed: [StaticString]) {
        self.reference = reference
        self.distributed = distributed
    }

    /// The tables of ``Migration/all``. A test compares them with the schema.
    public static let gatehouse = Distribution(
        reference: [
            "apps", "app_secrets", "test_devices", "signing_keys", "revoked_signing_keys", "identity_providers",
            "provider_tests", "ban_templates", "client_rules", "replies", "alert_receivers", "alert_states",
            "legacy_sources",
        ],
        distributed: [
            "members", "identities", "sessions", "ledger", "spent_proofs", "idempotent_calls", "used_credentials",
            "login_attempts", "identity_tokens", "former_identities", "forcing_tickets", "transfer_accounts",
            "transfer_keys", "transfer_attempts", "wrong_transfers", "bans", "grace_bans", "payments", "revocations",
            "provider_signals", "jobs", "counts", "refusals", "member_notes", "member_note_versions", "legacy_members",
            "legacy_devices", "legacy_erased", "legacy_attempts", "import_runs", "withdrawn_sessions",
        ])
}

/// Why tables can't be distributed.
public enum DistributionError: Error, Hashable, CustomStringConvertible {
    case notPostgreSQL
    case noExtension

    public var description: String {
        switch self {
        case .notPostgreSQL: "SQLite has one node: only PostgreSQL with the extension citus distributes tables."
        case .noExtension:
            "The database has no extension citus. On every node: shared_preload_libraries = 'citus', and CREATE EXTENSION citus in "
                + "this database; on the coordinator: SELECT citus_add_node('worker', 5432) for each worker."
        }
    }
}

extension Database {
    /// Distributes the tables over the nodes of a Citus cluster, in one transaction. Tables that are distributed already stay as they
    /// are, so a call after a later migration distributes the new ones.
    ///
    /// - Returns: what was done, a line for each step.
    /// - Throws: ``DistributionError``, and the engine's own errors.
    public func distribute(_ distribution: Distribution) async throws -> [String] {
        try await transact { tx in
            guard tx.engine == .postgresql else { throw DistributionError.notPostgreSQL }
            guard let version = try tx.citusVersion() else { throw DistributionError.noExtension }
            return ["Citus \(version) answers."] + (try tx.distribute(distribution))
        }
    }
}

extension Transaction {
    private struct ForeignKey {
        let name: String
        let table: String
        let other: String
        let definition: String
    }

    fileprivate func distribute(_ distribution: Distribution) throws -> [String] {
        try lockMigrations()
        try prepareSchemaChange()
        let known = Set(
            try rows(
                "SELECT CAST(logicalrelid AS TEXT) FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'"
            ) { row in try row[0] as String })
        let reference = distribution.reference.map { "\($0)" }.filter { !known.contains($0) }
        let divided = distribution.distributed.map { "\($0)" }.filter { !known.contains($0) }
        guard let first = distribution.distributed.first, !reference.isEmpty || !divided.isEmpty else {
            return ["Every table is distributed already."]
        }
        // A table can't be distributed while a foreign key leads to or from one that is not.
        let keys = try foreignKeys(of: Set(reference + divided))
        for key in keys { try alter(key.table, "DROP CONSTRAINT \"\(key.name)\"") }
        var done = ["Foreign keys dropped until both of their tables are distributed: \(keys.count)."]
        var filled: [String] = []
        for table in reference + divided where try hasRows(table) { filled.append(table) }
        for table in reference {
            try call("create_reference_table('\(table)')")
            done.append("\(table): a reference table, as a whole on every node.")
        }
        for table in divided {
            if table == "spent_proofs" {
                // Elsewhere a proof counts once over all apps. Here no constraint spans nodes, so it counts once in its app.
                try alter(
                    table,
                    """
                    DROP CONSTRAINT spent_proofs_pkey,
                    ADD CONSTRAINT spent_proofs_pkey PRIMARY KEY (minute, proof_id, app_id)
                    """)
            }
            let neighbour = table == "\(first)" ? "none" : "\(first)"
            try call("create_distributed_table('\(table)', 'app_id', colocate_with => '\(neighbour)')")
            done.append("\(table): distributed by app_id\(table == "\(first)" ? "" : ", beside \(first)").")
        }
        for key in keys { try alter(key.table, "ADD CONSTRAINT \"\(key.name)\" \(key.definition)") }
        done.append("Foreign keys made again: \(keys.count).")
        if !filled.isEmpty {
            done.append("The coordinator still has the rows of before, which nobody reads. This removes them:")
            done += filled.map { "  SELECT truncate_local_data_after_distributing_table('\($0)');" }
        }
        return done
    }

    /// Lets changes of the schema take as long as they need.
    func prepareSchemaChange() throws {
        guard engine == .postgresql else { return }
        // A statement over all rows of a large table may take longer than a caller would wait.
        try execute("SET LOCAL statement_timeout = 0")
        guard try citusVersion() != nil else { return }
        // Citus changes reference tables and distributed ones in one transaction only over one connection for each node.
        try execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    }

    fileprivate func citusVersion() throws -> String? {
        try first("SELECT extversion FROM pg_extension WHERE extname = 'citus'") { row in try row[0] }
    }

    /// The foreign keys that lead from or to these tables, in the order of their names.
    private func foreignKeys(of tables: Set<String>) throws -> [ForeignKey] {
        try rows(
            """
            SELECT conname, CAST(CAST(conrelid AS regclass) AS TEXT), CAST(CAST(confrelid AS regclass) AS TEXT),
                pg_get_constraintdef(oid)
            FROM pg_constraint WHERE contype = 'f' ORDER BY conname
            """
        ) { row in
            ForeignKey(name: try row[0], table: try row[1], other: try row[2], definition: try row[3])
        }.filter { tables.contains($0.table) || tables.contains($0.other) }
    }

    private func hasRows(_ table: String) throws -> Bool {
        try first(SQL(stringLiteral: "SELECT 1 FROM \(table) LIMIT 1")) { _ in true } ?? false
    }

    private func alter(_ table: String, _ change: String) throws {
        try execute(SQL(stringLiteral: "ALTER TABLE \(table) \(change)"))
    }

    private func call(_ function: String) throws {
        _ = try first(SQL(stringLiteral: "SELECT \(function)")) { _ in true }
    }
}

/// The app of a statement, for an engine that distributes tables by app. Nothing else needs it, so it is found only there.
extension Statement {
    /// The positions of the values that are compared with `app_id`, or inserted there.
    var appPlaces: [Int] {
        switch form {
        case .rows(let segments):
            Self.places(in: segments, from: 0)
        case .insert(_, let columns):
            columns.indices.filter { "\(columns[$0])" == "app_id" }
        case .update(_, let set, let key, let condition):
            Self.places(of: key, from: set.count - 1) + Self.places(in: condition, from: set.count - 1 + key.count)
        case .delete(_, let key, let condition):
            Self.places(of: key, from: 0) + Self.places(in: condition, from: key.count)
        }
    }

    /// The only app that the statement is about; nil if it names none, or several.
    var app: String? {
        let apps = Set(appPlaces.map { values[$0] })
        guard apps.count == 1, case .text(let app)? = apps.first else { return nil }
        return app
    }

    private static func places(of key: [StaticString], from start: Int) -> [Int] {
        key.indices.filter { "\(key[$0])" == "app_id" }.map { start + $0 }
    }

    /// The values that follow `app_id = ` in the text between them.
    private static func places(in segments: [String], from start: Int) -> [Int] {
        segments.indices.dropLast().filter { segments[$0].hasSuffix("app_id = ") }.map { start + $0 }
    }
}

extension [Statement] {
    /// The only app that the statements are about; nil if one names none, or if they name several.
    var app: String? {
        let apps = Set(map(\.app))
        return apps.count == 1 ? apps.first ?? nil : nil
    }
}
