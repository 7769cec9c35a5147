import Foundation
public import GatehouseStorage

extension Database {
    /// Every column of every table as text, bytes also in base64url, as somebody with a dump would search them.
    ///
    /// - Parameter others: tables that are left out.
    public func dump(without others: Set<String> = []) async throws -> String {
        try await tables().filter { !others.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    }

    /// The rows of every table, in the order of their text, so that those of two moments are equal if nothing has changed in between.
    public func tables() async throws -> [String: String] {
        let isSQLite = kind == "SQLite"
        return try await read { tx in
            try Self.tables(isSQLite, in: tx).reduce(into: [:]) { tables, table in
                let columns = try Self.columns(of: table, isSQLite, in: tx)
                let rows = try tx.rows(SQL(stringLiteral: "SELECT \(columns.joined(separator: ", ")) FROM \(table)")) {
                    row in
                    columns.indices.map { index in
                        if let value = try? row[index] as String { return value }
                        if let value = try? row[index] as Int64 { return String(value) }
                        guard let value = try? row[index] as [UInt8] else { return "" }
                        return "\(String(decoding: value, as: UTF8.self)) \(Self.base64URL(value))"
                    }.joined(separator: "|")
                }
                tables[table] = rows.sorted().joined(separator: "\n")
            }
        }
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func tables(_ isSQLite: Bool, in tx: Reader) throws -> [String] {
        let sql: SQL =
            isSQLite
            ? "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            : """
            SELECT CAST(relname AS TEXT) FROM pg_class
            WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1
            """
        return try tx.rows(sql) { row in try row[0] as String }
    }

    private static func columns(of table: String, _ isSQLite: Bool, in tx: Reader) throws -> [String] {
        let sql: SQL =
            isSQLite
            ? "SELECT name FROM pragma_table_info(\(table)) ORDER BY cid"
            : """
            SELECT CAST(column_name AS TEXT) FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name = \(table) ORDER BY ordinal_position
            """
        return try tx.rows(sql) { row in try row[0] as String }
    }
}
