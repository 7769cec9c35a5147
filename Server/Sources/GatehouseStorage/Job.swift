/// A body with its waiting caller.
///
/// A job is handed from thread to thread: the caller makes it and adds it to a queue, an engine thread takes it from there, and may pass
/// it on to another queue. Only the thread that has it uses it, and the lock of the queue orders what one thread has written before
/// what the next one reads. This is why its mutable properties need no lock, and why the class and its subclasses are unchecked.
///
/// The engine may call ``run(on:engine:)`` several times, and then calls exactly one of ``succeed()`` and ``fail(_:)``, once. Running it
/// again is safe by construction: a body is `@Sendable`, so it can capture nothing that it could change unnoticed, and a ``Draft`` has
/// no effects but the returned writes, of which the engine carries out those of the last run only.
class Job: @unchecked Sendable {
    /// What a body may do.
    enum Verb: Sendable {
        case read, report, decide, transact
        /// Statements of PostgreSQL outside of a transaction, on a connection of their own.
        case maintain

        var writes: Bool { self == .decide || self == .transact }
    }

    let verb: Verb
    /// When it was added to the queue, in monotonic nanoseconds.
    var enqueuedAt: UInt64 = 0
    /// How often it has lost against other transactions.
    var conflicts = 0

    init(_ verb: Verb) {
        self.verb = verb
    }

    /// The statement, if the job consists of only one. Engines may send several such jobs at once.
    var statement: SQL? { nil }
    /// Receives a row of ``statement``.
    func take(_ row: Row) throws {}
    /// Runs the body and keeps its value, without resuming the caller. Throws what the body throws.
    ///
    /// - Returns: the writes that it has left to be made.
    func run(on connection: any Connection, engine: Engine) throws -> [Write] { [] }
    /// Resumes the caller with the value of the last run, whose writes are durable.
    func succeed() {}
    /// Resumes the caller with an error.
    func fail(_ error: any Error) {}
}

extension Job {
    /// Runs the body and then its writes, in a transaction that has begun.
    func perform(on connection: any Connection, engine: Engine) throws {
        for write in try run(on: connection, engine: engine) { try connection.write(write) }
    }
}

/// A caller's body.
final class BodyJob<Value: Sendable>: Job, @unchecked Sendable {
    typealias Body = @Sendable (any Connection, Engine) throws -> (Value, [Write])

    private let body: Body
    private let continuation: CheckedContinuation<Value, any Error>
    private var value: Value?

    init(_ verb: Verb, _ body: @escaping Body, continuation: CheckedContinuation<Value, any Error>) {
        self.body = body
        self.continuation = continuation
        super.init(verb)
    }

    override func run(on connection: any Connection, engine: Engine) throws -> [Write] {
        let (value, writes) = try body(connection, engine)
        self.value = value
        return writes
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
        super.init(.read)
    }

    override var statement: SQL? { sql }

    override func take(_ row: Row) throws { values.append(try decode(row)) }

    override func run(on connection: any Connection, engine: Engine) throws -> [Write] {
        values = try Reader(connection, engine: engine).rows(sql, decode)
        return []
    }

    override func succeed() { continuation.resume(returning: values) }
    override func fail(_ error: any Error) { continuation.resume(throwing: error) }
}
