/// One row of an answer, while the closure that got it runs.
public struct Row {
    @usableFromInline let column: (Int) throws -> SQLValue

    /// The value of a column, counted from 0 as the statement lists them.
    ///
    /// - Throws: ``StorageError/unexpectedValue(expected:found:)`` when the column holds something else.
    @inlinable public subscript<Value: SQLConvertible>(_ index: Int) -> Value {
        get throws { try Value(sqlValue: try column(index)) }
    }
}
