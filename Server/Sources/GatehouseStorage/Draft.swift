/// A body that reads, and leaves its writes to the end: the decisions of ``Database/decide(_:)``.
///
/// Its reads never see its own writes, on either engine. So it can have no effect but the writes that it leaves, and the engine may run
/// it again, answer its reads together with those of other bodies, and write for several bodies with one statement. What a decision
/// rests on is secured by the writes themselves: by a constraint (`ifTaken`), or by a condition on what was read (`ifMissed`).
public class Draft: Reader {
    /// The writes in order, for the engine.
    private(set) var writes: [Write] = []

    /// Writes after the body has ended, in the order of the calls.
    ///
    /// - Parameters:
    ///   - refusal: the body's error if the inserted row already exists.
    ///   - miss: the body's error if the statement changes no row. With it, a row is changed only if it is still as the body has read
    ///     it.
    public final func later(
        _ statement: SQL, ifTaken refusal: (any Error)? = nil, ifMissed miss: (any Error)? = nil
    ) throws {
        try failing {
            let (text, values) = try statement.rendered(for: engine)
            try take(
                Write(
                    statement: Statement(text: text, values: values, mustChange: miss != nil), taken: refusal,
                    missed: miss))
        }
    }

    /// Receives a write.
    func take(_ write: Write) throws { writes.append(write) }
}

/// A write whose result is not awaited, with the errors that it means.
struct Write {
    let statement: Statement
    /// The error if the inserted row already exists.
    let taken: (any Error)?
    /// The error if it changes no row.
    let missed: (any Error)?
}
