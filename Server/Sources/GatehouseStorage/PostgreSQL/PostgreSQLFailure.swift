import CLibPQ

/// A failed statement: the error in the terms of storage, and the constraint that was violated.
struct PostgreSQLFailure {
    let error: StorageError
    var constraint: String?

    static let lost = PostgreSQLFailure(error: .unavailable("the connection to PostgreSQL was lost"))
    /// The statement was not run, because one before it in the pipeline has failed.
    static let skipped = PostgreSQLFailure(
        error: .failed(code: "25P02", message: "a statement before it has failed"))

    init(error: StorageError) {
        self.error = error
    }

    /// - Parameter code: the result's SQLSTATE.
    init(_ result: OpaquePointer, code: String) {
        let message = Self.message(of: result)
        constraint = (Self.field("n", of: result) ?? Self.constraint(in: message)).map(Self.withoutPart)
        error =
            switch code {
            // Citus can't say whether the node that has the rows has committed them.
            case _ where message.hasPrefix("could not commit transaction "): .unavailable(message)
            case "53100": .diskFull
            // It has waited for another transaction's row, or worked, for longer than a caller would wait.
            case "55P03", "57014": .overloaded
            case "25006": .readOnly
            case "57P01", "57P02", "57P03", "53300", "08006", "08003": .unavailable(message)
            case "23505": .duplicate(constraint ?? message)
            case "23514" where Self.field("R", of: result) == "ExecFindPartition":
                .noPartition(
                    table: Self.field("t", of: result) ?? "", value: Self.lastValue(in: Self.field("D", of: result)))
            case _ where code.hasPrefix("23"): .constraintViolated(message)
            default: .failed(code: code, message: message)
            }
    }

    /// The name in a message, because Citus hands on the message of another node without its fields.
    static func constraint(in message: String) -> String? {
        let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 2, message.contains("constraint") else { return nil }
        return String(parts[parts.count - 2])
    }

    /// A constraint's name without the number of a partition (``DividedTable``), and without that of a part of a distributed table:
    /// `ledger_20261101_pkey_102008` is `ledger_pkey`.
    static func withoutPart(_ name: String) -> String {
        name.split(separator: "_", omittingEmptySubsequences: false)
            .filter { word in word.count < 5 || !word.allSatisfy(\.isNumber) }.joined(separator: "_")
    }

    /// The value in a detail such as `Partition key of the failing row contains (minute) = (29730000).`, which has only the key.
    private static func lastValue(in detail: String?) -> String {
        guard let detail, let begin = detail.lastIndex(of: "("), let end = detail.lastIndex(of: ")"), begin < end else {
            return ""
        }
        return String(detail[detail.index(after: begin)..<end])
    }

    static func code(of result: OpaquePointer?) -> String? { field("C", of: result) }

    /// The primary message, which contains relations and constraints. The detail is left out, because it contains values.
    static func message(of result: OpaquePointer?) -> String { field("M", of: result) ?? "" }

    private static func field(_ letter: Character, of result: OpaquePointer?) -> String? {
        letter.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
    }
}
