/// The form of one file: what it is called in reports, how its records are found, and what they are for.
struct ImportForm {
    enum Framing {
        case lines
        case list(String, nextPage: String, emptyPage: ElementReader.EmptyPage? = nil)
        case table(separator: UInt8, columns: Int?, hasHeader: Bool)
        case tabs(columns: Int)
        /// The file has no records.
        case none
    }

    let name: String
    let framing: Framing
    /// The names of a table's columns.
    var columns: [String] = []
    /// Whether each record is a player. Otherwise it tells more of players in other files.
    var hasPlayers = true
    /// Whether the old system may have left out identities.
    var mayLackIdentities = false
    var notes: [ConversionNote] = []
    /// How many files with players there must be, if this one says so.
    var parts: Int?

    func reader(_ bytes: ByteReader) -> any RecordReader {
        switch framing {
        case .lines: JSONLinesReader(bytes)
        case .list(let list, let nextPage, let emptyPage):
            ElementReader(bytes, list: list, nextPage: nextPage, emptyPage: emptyPage)
        case .table(let separator, let columns, _): TableReader(bytes, separator: separator, columns: columns)
        case .tabs(let columns): TabbedReader(bytes, columns: columns)
        case .none: NoRecords()
        }
    }

    /// Whether the first record of the file is the names of its columns.
    var hasHeader: Bool {
        switch framing {
        case .table(_, _, let hasHeader): hasHeader
        case .tabs: true
        case .lines, .list, .none: false
        }
    }

    private struct NoRecords: RecordReader {
        let notes: [ConversionNote] = []
        func next() -> FramedRecord? { nil }
    }
}
