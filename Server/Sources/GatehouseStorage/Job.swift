/// A body with its waiting caller.
class Job: @unchecked Sendable {  // Passed from the caller to one engine thread, and used by only one thread at a time.
    /// When it was added to the queue, in monotonic nanoseconds.
    var enqueuedAt: UInt64 = 0
    /// The statement, if the job consists of only one. Engines may send several such jobs at once.
    var statement: SQL? { nil }
    /// Receives a row of ``statement``.
    func take(_ row: Row) throws {}
    /// Runs the body and keeps its value, without resuming the caller. Throws what the body throws.
    func run(in transaction: Transaction) throws {}
    /// Resumes the caller with the value of the last run, whose writes are durable.
    func succeed() {}
    /// Resumes the caller with an error.
    func fail(_ error: any Error) {}
}

/// A caller's body. Its continuation is resumed exactly once, by ``succeed()`` or ``fail(_:)``.
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
        // A body that has ignored a failed statement does not know what it has written.
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

/// A reading statement, with the caller that waits for its rows.
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
