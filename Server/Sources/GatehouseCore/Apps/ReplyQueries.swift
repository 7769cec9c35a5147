import GatehouseJSON
import GatehouseStorage
import GatehouseWire

/// Table `replies`.
enum ReplyQueries {
    /// Replaces a reply, or adds it.
    static func set(_ reply: Reply, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO replies (app_id, reply_id, title, texts)
            VALUES (\(app), \(reply.id), \(reply.title), \(try JSONText.write(reply.texts)))
            ON CONFLICT (app_id, reply_id) DO UPDATE SET title = excluded.title, texts = excluded.texts
            """)
    }

    /// The replies of an app, in the order in which they were added.
    static func replies(of app: AppID, in tx: Reader) throws -> [Reply] {
        try tx.rows(
            "SELECT reply_id, title, texts FROM replies WHERE app_id = \(app) ORDER BY reply_id LIMIT \(Reply.maximum)",
            reply)
    }

    static func reply(_ id: Int, app: AppID, in tx: Reader) throws -> Reply? {
        try tx.first("SELECT reply_id, title, texts FROM replies WHERE app_id = \(app) AND reply_id = \(id)", reply)
    }

    /// False if there is no such reply.
    static func delete(_ id: Int, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("DELETE FROM replies WHERE app_id = \(app) AND reply_id = \(id)") == 1
    }

    private static func reply(_ row: Row) throws -> Reply {
        let texts: String = try row[2]
        return Reply(id: try row[0], title: try row[1], texts: try JSONText.read(texts))
    }
}
