/// The interface for a body of ``Database/read(_:)`` or ``Database/write(_:)``, on one thread and only while the body runs.
///
/// After a failed statement every further one fails with the same error, on both engines, because PostgreSQL would refuse them anyway.
public final class Transaction {
    private let connection: any Connection
    let engine: Engine
    private var failure: (any Error)?

    init(_ connection: any Connection, engine: Engine) {
        self.connection = connection
        self.engine = engine
    }

    /// Every row of a result.
    public func rows<Value>(_ statement: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        _ = try run(statement) { row in
            values.append(try decode(row))
            return true
        }
        return values
    }

    /// The first row of a result, or nil when there is none.
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

    /// Runs a statement without waiting for its result: it is sent with the next one, or with the commit.
    ///
    /// - Parameter refusal: the transaction's error if the inserted row already exists. It is thrown by this call, by a later one or by
    ///   the commit.
    /// - Parameter miss: the transaction's error if the statement changes no row, thrown in the same way. With it, a row is changed
    ///   only if it is still as the body has read it.
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

    /// Permits writes again, after a read on a connection that also writes.
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
    /// Runs a statement and passes its rows on until `row` returns false. Returns the number of changed rows.
    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int
    /// Runs a statement now or with the next one.
    func runLater(_ text: String, _ values: [SQLValue], _ refusals: LaterRefusals) throws
}

/// The errors of a statement whose result is not awaited.
struct LaterRefusals {
    /// The error if the inserted row already exists.
    var taken: (any Error)?
    /// The error if it changes no row.
    var missed: (any Error)?
}

/// Thrown by a body that has lost a race, and that would win it or see its result in another attempt. The engine runs it again, a
/// limited number of times.
public struct TransactionConflict: Error {
    public init() {}
}
