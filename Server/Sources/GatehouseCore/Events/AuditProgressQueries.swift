import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `audit_progress`. A row's key is the node's name, and the process of the node.
enum AuditProgressQueries {
    struct Row: Sendable {
        let key: String
        let toldUntil: Moment

        /// The node's name, which neither a host's name nor a port can make ambiguous.
        var node: String { key.parts(at: " ", atMost: 2).first.map(String.init) ?? key }
    }

    static func key(of node: String, process: String) -> String { "\(node) \(process)" }

    static func nodes(in tx: Reader) throws -> [Row] {
        try tx.rows("SELECT node, told_until FROM audit_progress ORDER BY node") { row in
            Row(key: try row[0], toldUntil: try row[1])
        }
    }

    static func set(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO audit_progress (node, told_until) VALUES (\(key), \(moment))
            ON CONFLICT (node) DO UPDATE SET told_until = excluded.told_until
            """)
    }

    /// Adds a row; one that is there stays as it is.
    static func add(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO audit_progress (node, told_until) VALUES (\(key), \(moment))
            ON CONFLICT (node) DO NOTHING
            """)
    }

    static func delete(_ key: String, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(key)")
    }

    /// Advances the row of another process; false when it has advanced itself since it was read.
    static func move(_ key: String, from old: Moment, to new: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            "UPDATE audit_progress SET told_until = \(new) WHERE node = \(key) AND told_until = \(old)") == 1
    }

    /// Deletes a row that has not advanced since it was read.
    static func delete(_ key: String, toldUntil moment: Moment, in tx: Transaction) throws {
        try tx.execute("DELETE FROM audit_progress WHERE node = \(key) AND told_until = \(moment)")
    }
}
