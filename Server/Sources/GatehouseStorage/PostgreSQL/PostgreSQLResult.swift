import CLibPQ

/// One result of a statement, with its values decoded from libpq's text form.
struct PostgreSQLResult {
    let pointer: OpaquePointer?

    var changedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
    /// The command that was run, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(pointer)) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    var rowNumbers: Range<Int32> { 0..<PQntuples(pointer) }

    /// - Parameter skipped: how many columns at the front are left out.
    func row(_ number: Int32, skipping skipped: Int = 0) -> Row {
        Row { try value(row: number, column: $0 + skipped) }
    }

    func value(row: Int32, column: Int) throws -> SQLValue {
        guard (0..<columnCount).contains(column) else {
            throw StorageError.unexpectedValue(expected: "column \(column)", found: "none")
        }
        let column = Int32(column)
        if PQgetisnull(pointer, row, column) == 1 { return .null }
        guard let address = PQgetvalue(pointer, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(PQgetlength(pointer, row, column)))
        // The types' object ids are fixed in PostgreSQL's catalogue.
        switch PQftype(pointer, column) {
        case 20, 21, 23:
            guard let number = Int64(String(decoding: bytes, as: UTF8.self)) else {
                throw StorageError.unexpectedValue(expected: "integer", found: "text")
            }
            return .integer(number)
        case 16: return .integer(bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case 17:
            guard let content = Self.bytes(inHex: bytes) else {
                throw StorageError.unexpectedValue(expected: "bytes in hex", found: "another form")
            }
            return .bytes(content)
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The bytes of a text such as `\x00ff`; nil for any other, such as those of `bytea_output = escape`, which would become other bytes.
    static func bytes(inHex text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count >= 2, text.count % 2 == 0, text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x") else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for place in stride(from: 2, to: text.count, by: 2) {
            guard let high = digit(text[place]), let low = digit(text[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ letter: UInt8) -> UInt8? {
        switch letter {
        case 0x30...0x39: letter - 0x30
        case 0x61...0x66: letter - 0x57
        default: nil
        }
    }
}

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
