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
