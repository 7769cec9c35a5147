/// What every body can do: read. A rule that takes a `Reader` works with any verb of ``Database``, and has no effect.
///
/// It is used on one thread and only while its body runs. After a failed statement every further one fails with the same error, on both
/// engines, because PostgreSQL would refuse them anyway.
public class Reader {
    let connection: any Connection
    let engine: Engine
    private var failure: (any Error)?

    init(_ connection: any Connection, engine: Engine) {
        self.connection = connection
        self.engine = engine
    }

    /// Every row of a result.
    ///
    /// - Throws: ``StorageError/readOnly`` for a statement that writes, unless this is a ``Transaction``.
    public final func rows<Value>(_ statement: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try read(statement) { row in
            values.append(try decode(row))
            return true
        }
        return values
    }

    /// The first row of a result, or nil when there is none.
    ///
    /// - Throws: ``StorageError/readOnly`` for a statement that writes, unless this is a ``Transaction``.
    public final func first<Value>(_ statement: SQL, _ decode: (Row) throws -> Value) throws -> Value? {
        var value: Value?
        try read(statement) { row in
            value = try decode(row)
            return false
        }
        return value
    }

    /// Throws the error of the first failed statement: a body that has ignored it does not know what it has read or written.
    final func requireNoFailure() throws {
        if let failure { throw failure }
    }

    /// Does something, and lets everything after a failure of it fail alike.
    final func failing<Value>(_ work: () throws -> Value) throws -> Value {
        if let failure { throw failure }
        do {
            return try work()
        } catch {
            failure = error
            throw error
        }
    }

    /// Whether a statement with rows may write.
    var permitsWrites: Bool { false }

    private func read(_ statement: SQL, _ row: (Row) throws -> Bool) throws {
        try failing {
            if permitsWrites {
                let (text, values) = try statement.rendered(for: engine)
                _ = try connection.run(text, values, row)
            } else {
                try connection.read(statement.reading(), row)
            }
        }
    }
}
