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
