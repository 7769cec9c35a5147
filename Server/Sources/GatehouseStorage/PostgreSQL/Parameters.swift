/// Values in libpq's form, in one block of memory: numbers and texts as text, bytes and arrays in binary form.
struct Parameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    var count: Int { offsets.count }

    init(_ values: [SQLValue]) {
        bytes.reserveCapacity(512)
        for value in values {
            switch value {
            case .null: add(nil)
            case .integer(let number): add(Array(String(number).utf8))
            case .text(let text): add(Array(text.utf8))
            case .bytes(let content): add(content, format: 1)
            }
        }
    }

    /// An array for each parameter, and then the app if it is a plain value. Each row has a value for each of `kinds`.
    init(rows: [[SQLValue]], kinds: [MergedStatement.Kind]) {
        for (column, kind) in kinds.enumerated() {
            guard let type = kind.elementType else { continue }
            var array: [UInt8] = []
            array.reserveCapacity(24 + rows.count * 48)
            let hasNull = rows.contains { $0[column] == .null }
            // The header: number of dimensions, whether there are nulls, the elements' type, then the length and the lower bound of the
            // only dimension.
            for number in [1, hasNull ? 1 : 0, type, Int32(clamping: rows.count), 1] { array.append(number: number) }
            for row in rows { array.append(element: row[column]) }
            add(array, format: 1)
        }
        if let place = kinds.firstIndex(of: .app), case .text(let app)? = rows.first?[place] { add(Array(app.utf8)) }
    }

    private mutating func add(_ content: [UInt8]?, format: Int32 = 0) {
        formats.append(format)
        lengths.append(Int32(clamping: content?.count ?? 0))
        offsets.append(content == nil ? nil : bytes.count)
        guard let content else { return }
        bytes += content
        bytes.append(0)
    }

    func withPointers<Value>(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Value) -> Value {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            return body(offsets.map { offset in offset.flatMap { o in start.map { $0 + o } } }, lengths, formats)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(element: SQLValue) {
        switch element {
        case .null: append(number: Int32(-1))
        case .integer(let number):
            append(number: Int32(8))
            Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
        case .text(let text):
            append(number: Int32(clamping: text.utf8.count))
            append(contentsOf: text.utf8)
        case .bytes(let content):
            append(number: Int32(clamping: content.count))
            append(contentsOf: content)
        }
    }
}
