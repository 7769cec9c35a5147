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
        case 17: return .bytes(Self.unhex(bytes.dropFirst(2)))
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func unhex(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        func value(_ digit: UInt8) -> UInt8 { digit > 0x39 ? digit &- 0x57 : digit &- 0x30 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            if let first = high {
                bytes.append(value(first) << 4 | value(digit))
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}
