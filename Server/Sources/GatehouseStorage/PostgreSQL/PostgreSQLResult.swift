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
