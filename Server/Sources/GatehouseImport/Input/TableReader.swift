import GatehousePlatform

/// Reads a table of RFC 4180: fields between separators, in quotation marks where they contain one, a line break or a quotation mark.
///
/// A row whose quotation marks are not in pairs is refused by itself: reading goes on with the line after its first one.
struct TableReader: RecordReader {
    private enum Row {
        case fields([[UInt8]])
        case blank
        case broken(RecordProblem)
    }

    private var bytes: ByteReader
    private let separator: UInt8
    private let columns: Int?
    private var line = 1
    /// Whether the last row had a line break.
    private var isEnded = true
    private var isAtEnd = false

    /// - Parameter columns: how many fields each row has.
    init(_ bytes: ByteReader, separator: UInt8, columns: Int?) {
        self.bytes = bytes
        self.separator = separator
        self.columns = columns
    }

    var notes: [ConversionNote] { isAtEnd && !isEnded ? [.noLineBreakAtEnd] : [] }

    mutating func next() throws -> FramedRecord? {
        while try bytes.peek() != nil {
            let (line, offset) = (line, bytes.offset)
            let content: FramedRecord.Content
            switch try row() {
            case .blank: continue
            case .broken(let problem): content = .broken(problem)
            case .fields(let fields): content = self.content(fields)
            }
            return FramedRecord(line: line, offset: offset, content: content)
        }
        isAtEnd = true
        return nil
    }

    private func content(_ fields: [[UInt8]]) -> FramedRecord.Content {
        if let columns, fields.count != columns {
            return .broken(RecordProblem(.columns, "it has \(fields.count) columns, and not \(columns)"))
        }
        var texts: [String] = []
        for (index, field) in fields.enumerated() {
            guard let text = String(validating: field, as: UTF8.self) else {
                return .broken(RecordProblem(.notUTF8, at: "column \(index + 1)", "it has bytes that are not UTF-8"))
            }
            texts.append(text)
        }
        return .row(texts)
    }

    private mutating func row() throws -> Row {
        var fields: [[UInt8]] = []
        var field: [UInt8] = []
        var raw: [UInt8] = []
        var (isQuoted, wasQuoted) = (false, false)
        isEnded = false
        while let byte = try bytes.next() {
            raw.append(byte)
            guard raw.count <= ImportLimits.sourceBytes else {
                if isQuoted || raw.contains(0x0a) {
                    return try goOn(after: raw, .badQuoting, "a quotation mark is not closed")
                }
                try skipLine()
                return .broken(RecordProblem(.tooLong, "the row has more than \(ImportLimits.sourceBytes) bytes"))
            }
            if isQuoted {
                guard byte == 0x22 else {
                    field.append(byte)
                    continue
                }
                if try bytes.peek() == 0x22 {
                    field.append(0x22)
                    raw.append(0x22)
                    bytes.skip(1)
                } else {
                    isQuoted = false
                    wasQuoted = true
                }
                continue
            }
            switch byte {
            case separator:
                fields.append(field)
                field = []
                wasQuoted = false
            case 0x0a:
                isEnded = true
                if !wasQuoted, field.last == 0x0d { field.removeLast() }
                return end(fields, field, raw)
            case 0x0d where try bytes.peek() == 0x0a: field += wasQuoted ? [] : [byte]
            case 0x22 where field.isEmpty && !wasQuoted: isQuoted = true
            case _ where wasQuoted || byte == 0x22:
                return try goOn(after: raw, .badQuoting, "a quotation mark stands inside a field")
            default: field.append(byte)
            }
        }
        if isQuoted { return try goOn(after: raw, .badQuoting, "a quotation mark is not closed: the row may be cut") }
        return end(fields, field, raw)
    }

    private mutating func end(_ fields: [[UInt8]], _ field: [UInt8], _ raw: [UInt8]) -> Row {
        line += raw.count { $0 == 0x0a }
        return fields.isEmpty && field.isEmpty ? .blank : .fields(fields + [field])
    }

    /// Refuses the first line of a row that can't be read, and puts the lines after it back.
    private mutating func goOn(after raw: [UInt8], _ code: RecordProblem.Code, _ message: String) throws -> Row {
        if let lineBreak = raw.firstIndex(of: 0x0a) {
            bytes.putBack(raw[(lineBreak + 1)...])
            line += 1
            isEnded = true
        } else {
            try skipLine()
        }
        return .broken(RecordProblem(code, message))
    }

    private mutating func skipLine() throws {
        while true {
            let available = try bytes.available()
            if available.isEmpty { return }
            if let end = available.firstIndex(of: 0x0a) {
                bytes.skip(end - available.startIndex + 1)
                line += 1
                isEnded = true
                return
            }
            bytes.skip(available.count)
        }
    }
}

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
