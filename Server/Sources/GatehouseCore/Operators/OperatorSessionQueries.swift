import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `operator_sessions`.
enum OperatorSessionQueries {
    struct Row: Sendable {
        let id: String
        let person: OperatorID
        let createdAt: Moment
        let usedAt: Moment
        let expiresAt: Moment
        let elevatedUntil: Moment
        let address: String
        let agent: String
    }

    private static let columns: SQL = """
        session_id, operator_id, created_at, used_at, expires_at, elevated_until, address, agent
        """

    private static func row(_ row: GatehouseStorage.Row) throws -> Row {
        var columns = row.columns
        return Row(
            id: try columns.next(), person: try columns.next(), createdAt: try columns.next(),
            usedAt: try columns.next(), expiresAt: try columns.next(), elevatedUntil: try columns.next(),
            address: try columns.next(), agent: try columns.next())
    }

    static func insert(_ session: Row, tokenHash: [UInt8], in tx: Draft) throws {
        try tx.insert(
            into: "operator_sessions",
            [
                "token_hash": tokenHash, "session_id": session.id, "operator_id": session.person,
                "created_at": session.createdAt, "used_at": session.usedAt, "expires_at": session.expiresAt,
                "elevated_until": session.elevatedUntil, "address": session.address, "agent": session.agent,
            ])
    }

    static func find(_ tokenHash: [UInt8], in tx: Reader) throws -> Row? {
        try tx.first("SELECT \(columns) FROM operator_sessions WHERE token_hash = \(tokenHash)", row)
    }

    static func isThere(_ session: String, of id: OperatorID, in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM operator_sessions WHERE operator_id = \(id) AND session_id = \(session)") { _ in
            true
        } ?? false
    }

    /// The sessions of an operator, newest first.
    static func sessions(of id: OperatorID, in tx: Reader) throws -> [Row] {
        try tx.rows(
            "SELECT \(columns) FROM operator_sessions WHERE operator_id = \(id) ORDER BY session_id DESC LIMIT 100", row
        )
    }

    static func touch(_ tokenHash: [UInt8], at moment: Moment, in tx: Draft) throws {
        try tx.update("operator_sessions", set: "used_at = \(moment)", where: ["token_hash": tokenHash])
    }

    static func delete(_ tokenHash: [UInt8], in tx: Draft) throws {
        try tx.delete(from: "operator_sessions", where: ["token_hash": tokenHash])
    }

    /// Ends an operator's sessions: one, or all but one, or all.
    static func delete(of id: OperatorID, only session: String? = nil, but kept: String? = nil, in tx: Draft) throws {
        try tx.delete(
            from: "operator_sessions", where: ["operator_id": id],
            and: session.map { "session_id = \($0)" } ?? "session_id <> \(kept ?? "")")
    }
}
