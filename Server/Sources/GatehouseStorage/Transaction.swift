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
}
