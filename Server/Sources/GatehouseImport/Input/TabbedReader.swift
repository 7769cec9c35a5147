import GatehousePlatform

/// Reads a table whose lines are rows and whose fields are separated by tabs. A field in quotation marks is taken out of them only if
/// those inside it are doubled: JSON in a field has quotation marks of its own.
struct TabbedReader: RecordReader {
    private var lines: LineReader
    private let columns: Int
    private var isEnded = true
    private var isAtEnd = false

    init(_ bytes: ByteReader, columns: Int) {
        lines = LineReader(bytes, limit: ImportLimits.sourceBytes)
        self.columns = columns
    }

    var notes: [ConversionNote] { isAtEnd && !isEnded ? [.noLineBreakAtEnd] : [] }

    mutating func next() throws -> FramedRecord? {
        while let line = try lines.next() {
            isEnded = line.isEnded
            guard case .bytes(var bytes) = line.content else {
                return FramedRecord(line: line.number, offset: line.offset, content: FramedRecord.tooLong)
            }
            if bytes.last == 0x0d { bytes.removeLast() }
            if bytes.isEmpty { continue }
            return FramedRecord(line: line.number, offset: line.offset, content: content(bytes))
        }
        isAtEnd = true
        return nil
    }

    private func content(_ bytes: [UInt8]) -> FramedRecord.Content {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .broken(RecordProblem(.notUTF8, "it has bytes that are not UTF-8"))
        }
        let fields = Self.fields(text)
        guard fields.count == columns else {
            return .broken(RecordProblem(.columns, "it has \(fields.count) columns, and not \(columns)"))
        }
        return .row(fields)
    }

    static func fields(_ line: String) -> [String] {
        line.parts(at: "\t", withEmpty: true).map { unquoted(Array($0.utf8)) }
    }

    private static func unquoted(_ field: [UInt8]) -> String {
        guard field.count >= 2, field.first == 0x22, field.last == 0x22 else {
            return String(decoding: field, as: UTF8.self)
        }
        var (text, rest) = ([UInt8](), field.dropFirst().dropLast())
        while let byte = rest.popFirst() {
            if byte == 0x22, rest.popFirst() != 0x22 { return String(decoding: field, as: UTF8.self) }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
