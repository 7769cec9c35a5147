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

/// A body that reads, and leaves its writes to the end: the decisions of ``Database/decide(_:)``.
///
/// Its reads never see its own writes, on either engine. So it can have no effect but the writes that it leaves, and the engine may run
/// it again, answer its reads together with those of other bodies, and write for several bodies with one statement. What a decision
/// rests on is secured by the writes themselves: by a constraint (`ifTaken`), or by a condition on what was read (`ifMissed`).
///
/// Writes are made in the order of the calls. Their errors are thrown by the verb, or in a ``Transaction`` by a later call.
public class Draft: Reader {
    public typealias Values = KeyValuePairs<StaticString, any SQLConvertible>

    /// The writes in order, for the engine.
    private(set) var writes: [Write] = []

    /// Inserts a row.
    ///
    /// - Parameter refusals: the body's error for each constraint that the row may violate. The violation of any other is a
    ///   ``StorageError/duplicate(_:)``.
    public final func insert(
        into table: StaticString, _ values: Values, ifTaken refusals: KeyValuePairs<UniqueConstraint, any Error> = [:]
    ) throws {
        try failing {
            var columns: [StaticString] = []
            var bound: [SQLValue] = []
            columns.reserveCapacity(values.count)
            bound.reserveCapacity(values.count)
            for (column, value) in values {
                columns.append(column)
                bound.append(value.sqlValue)
            }
            let statement = try Statement(.insert(into: table, columns: columns), bound)
            try take(Write(statement: statement, taken: refusals))
        }
    }

    /// Updates the rows with these key values.
    ///
    /// - Parameters:
    ///   - assignments: what follows `SET`.
    ///   - key: the columns that identify the rows, with their values. The statement does not change them.
    ///   - condition: a further condition.
    ///   - miss: the body's error if the statement changes no row. With it, a row is changed only if it is still as the body has read
    ///     it.
    public final func update(
        _ table: StaticString, set assignments: SQL, where key: Values, and condition: SQL = "",
        ifMissed miss: (any Error)? = nil
    ) throws {
        try failing {
            let form = Statement.Form.update(
                table, set: assignments.segments, key: key.map(\.key), condition: condition.segments)
            let values = assignments.values + key.map(\.value.sqlValue) + condition.values
            try take(Write(statement: Statement(form, values, mustChange: miss != nil), missed: miss))
        }
    }

    /// Deletes the rows with these key values.
    ///
    /// - Parameters: see ``update(_:set:where:and:ifMissed:)``.
    public final func delete(
        from table: StaticString, where key: Values, and condition: SQL = "", ifMissed miss: (any Error)? = nil
    ) throws {
        try failing {
            let form = Statement.Form.delete(
                from: table, key: key.map(\.key), condition: condition.segments)
            let values = key.map(\.value.sqlValue) + condition.values
            try take(Write(statement: Statement(form, values, mustChange: miss != nil), missed: miss))
        }
    }

    /// Receives a write.
    func take(_ write: Write) throws { writes.append(write) }
}

/// A write whose result is not awaited, with the errors that it means.
struct Write {
    let statement: Statement
    /// The error for each unique constraint that may be violated.
    var taken: KeyValuePairs<UniqueConstraint, any Error> = [:]
    /// The error if it changes no row.
    var missed: (any Error)?

    /// The body's error for the violation of a unique constraint, or else the violation itself.
    func refusal(of violation: StorageError) -> any Error {
        guard case .duplicate(let constraint) = violation else { return violation }
        return taken.first { $0.key.isNamed(constraint) }?.value ?? violation
    }
}

/// A body with a transaction of its own: ``Database/transact(_:)``. Its reads see its own writes, and it can wait for the result of a
/// write.
public final class Transaction: Draft {
    /// Runs a statement and returns the number of rows that it inserted, updated or deleted.
    @discardableResult
    public func execute(_ statement: SQL) throws -> Int {
        try failing {
            let (text, values) = try statement.rendered(for: engine)
            return try connection.run(text, values) { _ in true }
        }
    }

    override var permitsWrites: Bool { true }

    /// A draft for ``write(_:)``. It reads what this transaction reads, and leaves its writes.
    public func draft() -> Draft { Draft(connection, engine: engine) }

    /// Makes the writes of several drafts. PostgreSQL makes one statement of those that are alike, so no draft may build on another's
    /// writes. Of a constraint that one of several drafts violates only the ``StorageError`` is known.
    public func write(_ drafts: [Draft]) throws {
        try failing {
            for draft in drafts { try draft.requireNoFailure() }
            try connection.write(drafts.map(\.writes))
        }
    }

    /// Writes at once, or together with the next statement. The errors of the write are thrown by this call, by a later one or by the
    /// commit.
    override func take(_ write: Write) throws { try connection.write(write) }
}

/// One connection to an engine, used by one thread.
protocol Connection: AnyObject {
    /// Runs a statement that only reads, and passes its rows on until `row` returns false.
    func read(_ statement: Statement, _ row: (Row) throws -> Bool) throws
    /// Runs a statement and passes its rows on until `row` returns false. Returns the number of changed rows.
    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int
    /// Runs a write now or with the next statement.
    func write(_ write: Write) throws
    /// Runs the writes of several drafts, those of each in order.
    func write(_ drafts: [[Write]]) throws
}

extension Connection {
    func write(_ drafts: [[Write]]) throws {
        for write in drafts.joined() { try self.write(write) }
    }
}

/// One row of a result. It is valid only while the closure that received it runs.
public struct Row {
    @usableFromInline let column: (Int) throws -> SQLValue

    /// The value of a column, counted from 0 in the statement's order.
    ///
    /// - Throws: ``StorageError/unexpectedValue(expected:found:)`` when the column's value has another type.
    @inlinable public subscript<Value: SQLConvertible>(_ index: Int) -> Value {
        get throws { try Value(sqlValue: try column(index)) }
    }

    /// The columns one after another, for decoders that share a row: each reads the columns of its own list.
    public var columns: ColumnReader { ColumnReader(row: self) }
}

/// Reads the columns of a row in the order of the statement. A decoder stands beside the list of its columns and reads them in that
/// order, so that statements can put several lists together without counting columns.
public struct ColumnReader {
    @usableFromInline let row: Row
    @usableFromInline var position = 0

    @usableFromInline init(row: Row) {
        self.row = row
    }

    /// The value of the next column.
    ///
    /// - Throws: ``StorageError/unexpectedValue(expected:found:)`` when the column's value has another type, or there are no more.
    @inlinable public mutating func next<Value: SQLConvertible>(_ type: Value.Type = Value.self) throws -> Value {
        defer { position += 1 }
        return try row[position]
    }
}
