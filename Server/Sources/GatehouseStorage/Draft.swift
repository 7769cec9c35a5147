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
