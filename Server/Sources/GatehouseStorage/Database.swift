import GatehousePlatform
import Synchronization

/// The database, with either engine. Bodies are synchronous and run on separate threads, so that no event loop waits for a disk and no
/// transaction waits for the network.
public final class Database: Sendable {
    private let engine: any StorageEngine
    /// The file of a SQLite database; nil for any other.
    public let filePath: String?
    private let shares: ReportShares
    /// The person or the game server that the reports are for; nil for the server itself, whose reports are not limited.
    private let asker: String?

    private init(engine: any StorageEngine, filePath: String?, shares: ReportShares, asker: String? = nil) {
        self.engine = engine
        self.filePath = filePath
        self.shares = shares
        self.asker = asker
    }

    /// The same database for a person or a game server, whose reports are made one after the other.
    public func asked(by asker: String) -> Database {
        Database(engine: engine, filePath: filePath, shares: shares, asker: asker)
    }

    /// Opens a database. A SQLite file that does not exist is created.
    public static func open(
        _ location: DatabaseLocation, options: DatabaseOptions = .init(), events: StorageEvents = .init()
    ) async throws -> Database {
        let engine: any StorageEngine =
            switch location.place {
            case .sqlite(let path): try SQLiteEngine(path: path, options: options, events: events)
            case .postgresql(let url): try PostgreSQLEngine(url: url, options: options, events: events)
            }
        return Database(
            engine: engine, filePath: location.filePath, shares: ReportShares(limit: options.reportQueueLimit / 2))
    }

    /// Runs a body on one consistent snapshot: a few point reads that a caller waits for.
    ///
    /// - Parameter body: it may be run again after a lost connection.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        try await perform(.read) { connection, engine in try Self.read(body, connection, engine) }
    }

    /// Every row of one reading statement. It is cheaper than ``read(_:)`` when one statement is enough.
    public func rows<Value: Sendable>(
        _ statement: SQL, _ decode: @escaping @Sendable (Row) throws -> Value
    ) async throws -> [Value] {
        try await withCheckedThrowingContinuation { continuation in
            engine.enqueue(StatementJob(statement, decode: decode, continuation: continuation))
        }
    }

    /// Runs a body on one consistent snapshot and on a connection for reports: the lists, counts and exports of operators and game
    /// servers. However long it takes, no login waits for it.
    ///
    /// - Parameter body: each of its statements has a time limit (``DatabaseOptions/reportSeconds``).
    public func report<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        guard let asker else {
            return try await perform(.report) { connection, engine in try Self.read(body, connection, engine) }
        }
        return try await shares.run(for: asker) {
            try await perform(.report) { connection, engine in try Self.read(body, connection, engine) }
        }
    }

    /// Runs a body that reads and decides, then makes its writes, and returns when these are durable. When the body throws or one of its
    /// writes fails, none of them is kept; the writes of other bodies in the same batch are.
    ///
    /// - Parameter body: the engine may run it again, and together with others: its reads may be made at different moments, and a write
    ///   of another body may come before its own. Its writes must therefore secure what it has decided on (``Draft``).
    @discardableResult
    public func decide<Value: Sendable>(
        _ body: @escaping @Sendable (Draft) throws -> Value
    ) async throws -> Value {
        try await perform(.decide) { connection, engine in
            let draft = Draft(connection, engine: engine)
            let value = try body(draft)
            try draft.requireNoFailure()
            return (value, draft.writes)
        }
    }

    /// Runs a body in a transaction of its own, and returns when its writes are durable. When the body throws, none of its writes are
    /// kept.
    ///
    /// - Parameter body: it is run again when it loses against another transaction, when it throws ``StorageError/conflict``, or when the
    ///   connection is lost before the commit.
    @discardableResult
    public func transact<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await perform(.transact) { connection, engine in
            let transaction = Transaction(connection, engine: engine)
            let value = try body(transaction)
            try transaction.requireNoFailure()
            return (value, [])
        }
    }

    /// Runs statements outside of a transaction, on a connection to PostgreSQL of their own.
    func maintain(_ body: @escaping @Sendable (PostgreSQLConnection) throws -> Void) async throws {
        try await perform(.maintain) { connection, _ in
            if let connection = connection as? PostgreSQLConnection { try body(connection) }
            return ((), [])
        }
    }

    /// The number of reads and writes that wait for a thread. PostgreSQL's threads take both from one queue, so all count as writes.
    public var waiting: (reads: Int, writes: Int) { engine.waiting }

    /// `SQLite` or `PostgreSQL`.
    public var kind: String { engine is PostgreSQLEngine ? "PostgreSQL" : "SQLite" }

    /// Throws unless the database answers.
    public func ping() async throws {
        _ = try await read { tx in try tx.first("SELECT 1") { _ in true } }
    }

    /// Completes the accepted work and closes every connection. Later calls throw ``StorageError/closed``.
    public func close() async {
        await engine.close()
    }

    private static func read<Value>(
        _ body: (Reader) throws -> Value, _ connection: any Connection, _ engine: Engine
    ) throws -> (Value, [Write]) {
        let reader = Reader(connection, engine: engine)
        let value = try body(reader)
        try reader.requireNoFailure()
        return (value, [])
    }

    private func perform<Value: Sendable>(
        _ verb: Job.Verb, _ body: @escaping BodyJob<Value>.Body
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            engine.enqueue(BodyJob(verb, body, continuation: continuation))
        }
    }
}

/// The requirements for an engine.
protocol StorageEngine: Sendable {
    func enqueue(_ job: Job)
    func close() async
    var waiting: (reads: Int, writes: Int) { get }
}

/// An engine's options. The defaults were determined by measurement.
public struct DatabaseOptions: Sendable {
    /// The maximum number of waiting writes and reads; more are refused with ``StorageError/overloaded``.
    public var queueLimit = 8_192
    /// How long a write or a read may wait for its turn, in seconds. After that it is refused with ``StorageError/overloaded``. A SQLite
    /// file that another process holds is waited for as long, and then refused with ``StorageError/unavailable(_:)``.
    public var patienceSeconds = 5.0
    /// The maximum number of writes in one commit.
    public var batchLimit = 256
    /// The number of threads that read SQLite, each with its own connection. Half the processors; the event loops need the other half.
    public var readers = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    /// The number of connections to PostgreSQL that send waiting work in batches, each with its own thread. More connections make
    /// smaller batches, and so more work for PostgreSQL.
    public var connections = 2
    /// The number of connections to PostgreSQL for separate transactions, which may wait for each other.
    public var ownConnections = 4
    /// The number of connections for reports, each with its own thread.
    public var reportConnections = 1
    /// The maximum number of waiting reports; more are refused with ``StorageError/overloaded``.
    public var reportQueueLimit = 64
    /// How long a statement of a report may take, and how long a report may wait for its turn, in seconds. After that it fails with
    /// ``StorageError/overloaded``.
    public var reportSeconds = 10.0
    /// How long the removal of old rows waits for each transaction that may still see them, in seconds. Nobody waits for it meanwhile.
    public var maintenanceSeconds = 15.0
    /// The maximum number of attempts of a transaction that loses against another.
    public var attempts = 8
    /// Measures how long jobs have waited, in nanoseconds.
    var clock: @Sendable () -> UInt64 = { MonotonicClock.nanoseconds }

    public init() {}
}

/// An engine's events, for metrics. They are called on the engine's threads and must return quickly.
public struct StorageEvents: Sendable {
    /// A commit with this number of writes has succeeded.
    public var committed: @Sendable (_ writes: Int) -> Void = { _ in }
    /// A connection was lost and will be opened again.
    public var disconnected: @Sendable (_ reason: String) -> Void = { _ in }
    /// PostgreSQL has sent a notice or a warning.
    public var noticed: @Sendable (_ message: String, _ isWarning: Bool) -> Void = { _, _ in }
    /// No further writes are possible: ``StorageError/broken(_:)``. The program should end.
    public var broken: @Sendable (_ reason: String) -> Void = { _ in }
    /// A transaction has lost against another and is retried.
    public var retried: @Sendable () -> Void = {}

    public init() {}
}

/// Runs one report of each asker at a time, so that an asker with many reports does not fill the queue for all of them.
final class ReportShares: Sendable {
    /// How many reports of one asker may wait; more are refused with ``StorageError/overloaded``.
    private let limit: Int
    /// The waiting reports of each asker that has one running, in order.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, any Error>]]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    func run<Value>(for asker: String, _ body: () async throws -> Value) async throws -> Value {
        try await enter(asker)
        defer { leave(asker) }
        // Its client may have gone meanwhile.
        try Task.checkCancellation()
        return try await body()
    }

    private func enter(_ asker: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let answer: Result<Void, any Error>? = waiting.withLock { waiting in
                guard let own = waiting[asker] else {
                    waiting[asker] = []
                    return .success(())
                }
                guard own.count < limit else { return .failure(StorageError.overloaded) }
                waiting[asker]?.append(continuation)
                return nil
            }
            if let answer { continuation.resume(with: answer) }
        }
    }

    private func leave(_ asker: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, any Error>? in
            guard waiting[asker]?.isEmpty == false else {
                waiting[asker] = nil
                return nil
            }
            return waiting[asker]?.removeFirst()
        }
        next?.resume()
    }
}
