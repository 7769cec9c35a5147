import GatehouseJSON
import GatehousePlatform

/// A system that players come from: how its files are recognised, and what of a record becomes a member. A new one is a file with this
/// protocol, a case of ``ImportKind`` and its place in ``ImportSources``.
protocol ImportSource {
    init(_ options: ConversionOptions) throws(ConversionFailure)

    /// Recognises a file by its first bytes; nil if it is none of this system's.
    func form(of start: FileStart) throws(ConversionFailure) -> ImportForm?

    /// The form of the lines that the rows of ``ImportKind/select`` are; nil for a system without such tables.
    var tables: ImportForm? { get }

    /// What a player's record becomes.
    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem)

    /// Adds what other files say of the player, of whom there may be nothing.
    func complete(_ draft: inout MemberDraft, with details: [SourceObject]) throws(RecordProblem)

    /// The players whom a line of a file with more details is about.
    func players(of detail: SourceObject) throws(RecordProblem) -> [String]
}

extension ImportSource {
    var tables: ImportForm? { nil }
    func complete(_ draft: inout MemberDraft, with details: [SourceObject]) throws(RecordProblem) {}
    func players(of detail: SourceObject) throws(RecordProblem) -> [String] { [] }
}

/// All systems.
enum ImportSources {
    static func source(
        _ kind: ImportKind, _ options: ConversionOptions
    ) throws(ConversionFailure) -> any ImportSource {
        switch kind {
        case .firebase: FirebaseSource(options)
        case .playfab: PlayFabSource(options)
        case .nakama: NakamaSource(options)
        case .gamebase: try GamebaseSource(options)
        case .supabase: SupabaseSource(options)
        case .unity: UnitySource(options)
        }
    }
}

/// The systems whose files are read. Each has one ``ImportSource``.
package enum ImportKind: String, Sendable, CaseIterable {
    case firebase, playfab, nakama, gamebase, supabase, unity

    /// The SELECT whose rows are this system's players, where they stand in tables of its own PostgreSQL.
    package var select: String? {
        switch self {
        case .nakama: NakamaQueries.users
        case .supabase: SupabaseQueries.users
        case .firebase, .playfab, .gamebase, .unity: nil
        }
    }
}

/// A record that could be read.
enum SourceRecord {
    case object(SourceObject)
    case row([String])

    func object() throws(RecordProblem) -> SourceObject {
        guard case .object(let object) = self else { throw RecordProblem(.badType, "it must be an object") }
        return object
    }

    func row() throws(RecordProblem) -> [String] {
        guard case .row(let row) = self else { throw RecordProblem(.badType, "it must be a row") }
        return row
    }
}

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

/// The first bytes of a file, by which its form is recognised.
struct FileStart {
    let bytes: [UInt8]
    private static let records = 20

    /// The first lines of JSON lines that can be read.
    var objects: [SourceObject] { objects(JSONLinesReader(reader)) }

    /// The first elements of a document's list; nil if no document with this list begins here.
    func elements(
        of list: String, nextPage: String = "", emptyPage: ElementReader.EmptyPage? = nil
    ) -> [SourceObject]? {
        guard let first = bytes.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") else { return nil }
        var elements = ElementReader(reader, list: list, nextPage: nextPage, emptyPage: emptyPage)
        let record = try? elements.next()
        guard elements.hasList || elements.pages != PageCount() else { return nil }
        guard let record else { return [] }
        return objects(elements, first: record)
    }

    /// Whether the file has documents with this list, and nothing in it.
    func isEmpty(_ list: String, nextPage: String, emptyPage: ElementReader.EmptyPage?) -> Bool {
        var elements = ElementReader(reader, list: list, nextPage: nextPage, emptyPage: emptyPage)
        let record = try? elements.next()
        return record == nil && elements.pages != PageCount()
    }

    /// The first row of a table.
    func row(separator: UInt8) -> [String]? {
        var table = TableReader(reader, separator: separator, columns: nil)
        guard let record = try? table.next(), case .row(let row) = record.content else { return nil }
        return row
    }

    /// The first row of a table with tabs.
    var tabs: [String]? {
        var lines = LineReader(reader, limit: ByteReader.startBytes)
        guard case .bytes(var bytes)? = try? lines.next()?.content else { return nil }
        if bytes.last == 0x0d { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self).map(TabbedReader.fields)
    }

    /// The lines of a list of addresses; nil if there is another line.
    var addresses: [String]? {
        var reader = LineReader(reader, limit: ByteReader.startBytes)
        var addresses: [String] = []
        while case .bytes(let bytes)? = try? reader.next()?.content {
            guard let line = String(validating: bytes, as: UTF8.self)?.trimmingWhitespace() else { return nil }
            if line.isEmpty { continue }
            guard line.begins(with: "https://") else { return nil }
            addresses.append(line)
        }
        return addresses.isEmpty ? nil : addresses
    }

    private var reader: ByteReader {
        var rest = bytes
        return ByteReader(
            ImportInput.Stream { _ in
                defer { rest = [] }
                return rest
            })
    }

    private func objects(_ reader: some RecordReader, first: FramedRecord? = nil) -> [SourceObject] {
        var (reader, objects, next) = (reader, [SourceObject](), first)
        for _ in 0..<Self.records {
            guard let record = next ?? (try? reader.next()) else { break }
            next = nil
            if case .json(let value) = record.content, let object = try? SourceObject(value) { objects.append(object) }
        }
        return objects
    }
}
