/// One body with the caller who waits for it.
class Job: @unchecked Sendable {  // Handed from the caller to one engine thread; never in two hands at once.
    /// When it was put into the queue, in monotonic nanoseconds.
    var enqueuedAt: UInt64 = 0
    /// The one statement that the job is, if it is no more than that: engines may send several such at once.
    var statement: SQL? { nil }
    /// Takes a row of ``statement``.
    func take(_ row: Row) throws {}
    /// Runs the body and keeps its value, without telling the caller. Throws what the body throws.
    func run(in transaction: Transaction) throws {}
    /// Tells the caller the value of the last run: what it wrote is durable.
    func succeed() {}
    /// Tells the caller that it failed.
    func fail(_ error: any Error) {}
}

/// The body of one caller. Its continuation is resumed exactly once, by ``succeed()`` or ``fail(_:)``.
final class TypedJob<Value: Sendable>: Job, @unchecked Sendable {
    private let body: @Sendable (Transaction) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private var value: Value?

    init(body: @escaping @Sendable (Transaction) throws -> Value, continuation: CheckedContinuation<Value, any Error>) {
        self.body = body
        self.continuation = continuation
    }

    override func run(in transaction: Transaction) throws {
        value = try body(transaction)
        // A body that went on after a failed statement does not know what it has written.
        try transaction.requireNoFailure()
    }

    override func succeed() {
        guard let value else { return continuation.resume(throwing: StorageError.closed) }
        continuation.resume(returning: value)
    }

    override func fail(_ error: any Error) {
        continuation.resume(throwing: error)
    }
}

/// One statement that reads, with the caller who waits for its rows.
final class StatementJob<Value: Sendable>: Job, @unchecked Sendable {
    private let sql: SQL
    private let decode: @Sendable (Row) throws -> Value
    private let continuation: CheckedContinuation<[Value], any Error>
    private var values: [Value] = []

    init(
        _ sql: SQL, decode: @escaping @Sendable (Row) throws -> Value,
        continuation: CheckedContinuation<[Value], any Error>
    ) {
        self.sql = sql
        self.decode = decode
        self.continuation = continuation
    }

    override var statement: SQL? { sql }

    override func take(_ row: Row) throws { values.append(try decode(row)) }

    override func run(in transaction: Transaction) throws {
        values = try transaction.rows(sql, decode)
    }

    override func succeed() { continuation.resume(returning: values) }
    override func fail(_ error: any Error) { continuation.resume(throwing: error) }
}
