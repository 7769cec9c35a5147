import GatehouseJSON

/// Reads the records of another system's file, one by one, in bounded memory.
protocol RecordReader {
    /// The next record; nil at the end.
    mutating func next() throws -> FramedRecord?
    /// What the file says about itself, besides its records: a page that follows, or an end without a line break.
    var notes: [ConversionNote] { get }
    /// The pages of a list that comes in pages.
    var pages: PageCount { get }
}

extension RecordReader {
    var pages: PageCount { PageCount() }
}

/// One record as it stands in another system's file.
struct FramedRecord {
    enum Content {
        case json(StrictJSON.Value)
        case row([String])
        /// There is a record, and it can't be read.
        case broken(RecordProblem)
    }

    /// The line on which it begins, from 1.
    let line: Int
    /// Where it begins in the file.
    let offset: Int64
    let content: Content

    /// Reads a record's JSON.
    static func json(_ bytes: some Collection<UInt8>) -> Content {
        do throws(StrictJSON.Failure) {
            return .json(try StrictJSON.parse(bytes))
        } catch {
            let code: RecordProblem.Code = error.reason == "invalid UTF-8" ? .notUTF8 : .badJSON
            return .broken(RecordProblem(code, "\(error.reason), at byte \(error.offset) of the record"))
        }
    }

    static let tooLong = Content.broken(
        RecordProblem(.tooLong, "the record has more than \(ImportLimits.sourceBytes) bytes"))
}

/// How many pages of a list were read, and how many of them name another that follows.
struct PageCount: Equatable {
    private(set) var followed = 0
    private(set) var last = 0

    mutating func add(isFollowed: Bool) { if isFollowed { followed += 1 } else { last += 1 } }

    mutating func add(_ other: PageCount) {
        followed += other.followed
        last += other.last
    }

    /// Whether no page is the last one. The order of files says nothing: `page-10` stands before `page-9`.
    var isMissingLast: Bool { followed > 0 && last == 0 }
}

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
