/// What a body of ``Database/read(_:)`` or ``Database/write(_:)`` works with, on one thread and for as long as it runs.
///
/// After a statement has failed, every further one fails with the same error, on both engines: PostgreSQL would refuse them
/// anyway.
public final class Transaction {
    private let connection: any Connection
    let engine: Engine
    private var failure: (any Error)?

    init(_ connection: any Connection, engine: Engine) {
        self.connection = connection
        self.engine = engine
    }

    /// Every row of an answer.
    public func rows<Value>(_ statement: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        _ = try run(statement) { row in
            values.append(try decode(row))
            return true
        }
        return values
    }

    /// The first row of an answer, or nil when there is none.
    public func first<Value>(_ statement: SQL, _ decode: (Row) throws -> Value) throws -> Value? {
        var value: Value?
        _ = try run(statement) { row in
            value = try decode(row)
            return false
        }
        return value
    }

    /// Runs a statement and returns the number of rows that it inserted, updated or deleted.
    @discardableResult
    public func execute(_ statement: SQL) throws -> Int {
        try run(statement) { _ in true }
    }

    /// Runs a statement whose outcome the body does not wait for: it travels with the next one, or with the commit.
    ///
    /// - Parameter refusal: what the transaction fails with when the row that it inserts is there already. It is thrown by
    ///   this call, by a later one or by the commit.
    /// - Parameter miss: what the transaction fails with when the statement changes no row, in the same way. So a row is
    ///   changed only if it is still what the body has read.
    public func later(
        _ statement: SQL, ifTaken refusal: (any Error)? = nil, ifMissed miss: (any Error)? = nil
    ) throws {
        if let failure { throw failure }
        do {
            let (text, values) = try statement.rendered(for: engine)
            try connection.runLater(text, values, LaterRefusals(taken: refusal, missed: miss))
        } catch {
            failure = error
            throw error
        }
    }

    func requireNoFailure() throws {
        if let failure { throw failure }
    }

    /// After a read on a connection that writes too.
    func allowWrites() {
        _ = try? connection.run("PRAGMA query_only=OFF", []) { _ in true }
    }

    private func run(_ statement: SQL, _ row: (Row) throws -> Bool) throws -> Int {
        if let failure { throw failure }
        do {
            let (text, values) = try statement.rendered(for: engine)
            return try connection.run(text, values, row)
        } catch {
            failure = error
            throw error
        }
    }
}

/// One connection to an engine, used by one thread.
protocol Connection: AnyObject {
    /// Runs a statement and hands over its rows until `row` returns false. Returns the number of changed rows.
    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int
    /// Runs a statement now or with the next one.
    func runLater(_ text: String, _ values: [SQLValue], _ refusals: LaterRefusals) throws
}

/// What a statement that nobody waits for fails with.
struct LaterRefusals {
    /// When the row that it inserts is there already.
    var taken: (any Error)?
    /// When it changes no row.
    var missed: (any Error)?
}

/// Thrown by a body that has lost a race which it would win, or see the end of, in another try: the engine runs it again, a
/// bounded number of times.
public struct TransactionConflict: Error {
    public init() {}
}
