/// Reads a file of JSON lines. Blank lines are no records.
struct JSONLinesReader: RecordReader {
    private var lines: LineReader
    let notes: [ConversionNote] = []

    init(_ bytes: ByteReader) { lines = LineReader(bytes, limit: ImportLimits.sourceBytes) }

    mutating func next() throws -> FramedRecord? {
        while let line = try lines.next() {
            switch line.content {
            case .tooLong: return FramedRecord(line: line.number, offset: line.offset, content: FramedRecord.tooLong)
            case .bytes(let bytes):
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
                return FramedRecord(line: line.number, offset: line.offset, content: FramedRecord.json(bytes))
            }
        }
        return nil
    }
}
