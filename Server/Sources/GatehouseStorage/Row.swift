/// One row of a result. It is valid only while the closure that received it runs.
public struct Row {
    @usableFromInline let column: (Int) throws -> SQLValue

    /// The value of a column, counted from 0 in the statement's order.
    ///
    /// - Throws: ``StorageError/unexpectedValue(expected:found:)`` when the column's value has another type.
    @inlinable public subscript<Value: SQLConvertible>(_ index: Int) -> Value {
        get throws { try Value(sqlValue: try column(index)) }
    }
}
