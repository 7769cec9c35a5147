import Foundation

/// The database, whichever engine it is. Bodies are synchronous and run on threads of their own, so that no event loop waits
/// for a disk and no transaction waits for the network.
public final class Database: Sendable {
    private let engine: any StorageEngine

    init(engine: any StorageEngine) {
        self.engine = engine
    }

    /// Opens a database. A SQLite file that is not there is made.
    public static func open(
        _ location: DatabaseLocation, options: DatabaseOptions = .init(), events: StorageEvents = .init()
    ) async throws -> Database {
        switch location.place {
        case .sqlite(let path): Database(engine: try SQLiteEngine(path: path, options: options, events: events))
        case .postgresql(let url): Database(engine: try PostgreSQLEngine(url: url, options: options, events: events))
        }
    }

    /// Runs a body on one consistent snapshot.
    ///
    /// - Parameter body: may be run again after a lost connection. A write in it throws ``StorageError/readOnly``.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await perform(body, engine.enqueueRead)
    }

    /// Every row of one statement that reads: cheaper than ``read(_:)`` where one statement says it all.
    public func rows<Value: Sendable>(
        _ statement: SQL, _ decode: @escaping @Sendable (Row) throws -> Value
    ) async throws -> [Value] {
        try await withCheckedThrowingContinuation { continuation in
            engine.enqueueRead(StatementJob(statement, decode: decode, continuation: continuation))
        }
    }

    /// Runs a body in a transaction of its own, and returns when what it wrote is durable. When the body throws, nothing of
    /// it is kept; what other bodies wrote in the same batch is.
    ///
    /// - Parameter body: may be run again, when the engine asks for it: it must have no effect but its writes.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await perform(body, engine.enqueueWrite)
    }

    /// How many reads and writes wait for a thread. PostgreSQL's threads take both from one queue: all count as writes.
    public var waiting: (reads: Int, writes: Int) { engine.waiting }

    /// Throws unless the database answers.
    public func ping() async throws {
        _ = try await read { tx in try tx.first("SELECT 1") { _ in true } }
    }

    /// Finishes what has been accepted and closes every connection. Later calls throw ``StorageError/closed``.
    public func close() async {
        await engine.close()
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value, _ enqueue: (Job) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(TypedJob(body: body, continuation: continuation))
        }
    }
}

/// What an engine has to do.
protocol StorageEngine: Sendable {
    func enqueueRead(_ job: Job)
    func enqueueWrite(_ job: Job)
    func close() async
    var waiting: (reads: Int, writes: Int) { get }
}

/// How an engine works. The defaults are measured ones.
public struct DatabaseOptions: Sendable {
    /// Writes and reads that may wait at a time; more are refused with ``StorageError/overloaded``.
    public var queueLimit = 8_192
    /// How long a write or a read may wait for its turn, in seconds: then it is refused with ``StorageError/overloaded``.
    public var patienceSeconds = 5.0
    /// Writes that one commit takes at most.
    public var batchLimit = 256
    /// Threads that read SQLite, each with a connection of its own: half of the processors, since the other half asks.
    public var readers = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    /// Connections to PostgreSQL that send together what waits, each with a thread of its own. More make smaller batches, and
    /// so more work for PostgreSQL.
    public var connections = 2
    /// Connections to PostgreSQL for transactions of their own, which may wait for each other.
    public var ownConnections = 4
    /// How often a transaction that lost against another is tried.
    public var attempts = 8

    public init() {}
}

/// What an engine tells about its work, for metrics. Called on the engine's threads: be quick.
public struct StorageEvents: Sendable {
    /// A commit was made, of so many writes.
    public var committed: @Sendable (_ writes: Int) -> Void = { _ in }
    /// A connection was lost and will be made again.
    public var disconnected: @Sendable (_ reason: String) -> Void = { _ in }
    /// PostgreSQL has something to tell beside its answers: a notice that is of no consequence, or a warning.
    public var noticed: @Sendable (_ message: String, _ isWarning: Bool) -> Void = { _, _ in }
    /// Nothing can be written any more: ``StorageError/broken(_:)``. The program should end.
    public var broken: @Sendable (_ reason: String) -> Void = { _ in }
    /// A transaction lost against another and is tried again.
    public var retried: @Sendable () -> Void = {}

    public init() {}
}
