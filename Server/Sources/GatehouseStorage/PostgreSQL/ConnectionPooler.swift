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
