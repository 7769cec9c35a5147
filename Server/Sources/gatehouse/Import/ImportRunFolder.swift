import GatehouseCore
import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseWire

/// The reports of a run, in a folder for its owner alone: they have ids of players.
struct ImportRunFolder {
    /// A record, or a part of it, that did not come in.
    private struct Line: Encodable {
        let line: Int
        let legacyId: String?
        let code: String
        let path: String
        let message: String
        let holder: String?
    }

    private static let summaryName = "summary.json"

    let path: String
    private let conflicts: ReportFile
    private let rejected: ReportFile
    private let unmapped: ReportFile
    private let ids: ReportFile

    /// Opens the folder of a run, and makes it for a new one.
    init(_ path: String) throws {
        self.path = path
        try PrivateFolder.createNamed(path)
        try PrivateFolder.close(path)
        conflicts = try ReportFile("\(path)/conflicts.jsonl")
        rejected = try ReportFile("\(path)/rejected.jsonl")
        unmapped = try ReportFile("\(path)/unmapped.jsonl")
        ids = try ReportFile("\(path)/ids.csv")
        if ids.isEmpty { try ids.write(Array("legacyId,userId\n".utf8)) }
    }

    /// The last line of the file that the reports know; nil for new ones.
    var reported: Int? {
        guard let file = OpenFile(reading: "\(path)/\(Self.summaryName)"), let bytes = try? file.readToEnd() else {
            return nil
        }
        return (try? StoredJSON.read(ImportSummary.self, from: bytes))?.line
    }

    /// Appends the outcomes of records.
    func report(_ outcomes: [ImportOutcome], of records: [NeutralFileReader.Record]) throws {
        var members: [Int: ImportedMember] = [:]
        for record in records { members[record.line] = try? record.member.get() }
        var texts: (conflicts: [UInt8], rejected: [UInt8], unmapped: [UInt8], ids: [UInt8]) = ([], [], [], [])
        for outcome in outcomes {
            if outcome.kind == .rejected { texts.rejected += try line(outcome) }
            if outcome.kind == .skipped { texts.conflicts += try line(outcome) }
            for note in outcome.notes { texts.conflicts += try line(note, outcome) }
            if let user = outcome.user, let id = outcome.legacyID {
                texts.ids += "\(Self.cell(id)),\(user.rawValue)\n".utf8
            }
            if let member = members[outcome.line], let rest = Self.unmapped(member, outcome) {
                texts.unmapped += rest.bytes + [0x0a]
            }
        }
        try conflicts.write(texts.conflicts)
        try rejected.write(texts.rejected)
        try unmapped.write(texts.unmapped)
        try ids.write(texts.ids)
    }

    private func line(_ outcome: ImportOutcome) throws -> [UInt8] {
        let code = outcome.code ?? ""
        let message = outcome.message.isEmpty ? ImportCode(rawValue: code)?.message ?? "" : outcome.message
        return try Self.text(
            Line(
                line: outcome.line, legacyId: outcome.legacyID, code: code, path: outcome.path, message: message,
                holder: outcome.holder?.rawValue))
    }

    private func line(_ note: ImportNote, _ outcome: ImportOutcome) throws -> [UInt8] {
        try Self.text(
            Line(
                line: outcome.line, legacyId: outcome.legacyID, code: note.code.rawValue, path: note.path,
                message: note.code.message, holder: note.holder?.rawValue))
    }

    private static func text(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONText.sorted(value).utf8) + [0x0a]
    }

    /// What of a record has no place here: the old system's own values, and identities that no login finds.
    private static func unmapped(_ member: ImportedMember, _ outcome: ImportOutcome) -> ImportedMember? {
        let codes: Set<ImportCode> = [.noProvider, .omitted, .notMatchable, .misfit, .leftOut]
        let places = Set(outcome.notes.filter { codes.contains($0.code) }.map(\.path))
        var rest = ImportedMember(legacyID: member.legacyID, status: member.status)
        rest.identities = member.identities.enumerated().filter { places.contains("identities[\($0.offset)]") }
            .map(\.element)
        rest.extra = member.extra
        return rest.identities.isEmpty && rest.extra == nil ? nil : rest
    }

    /// A cell of a table (RFC 4180).
    private static func cell(_ text: String) -> String {
        let special: Set<UInt8> = [0x22, 0x2c, 0x0a, 0x0d]
        guard text.utf8.contains(where: special.contains) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// Replaces the summary at once, so that it is whole whenever the program is killed.
    func write(_ summary: ImportSummary) throws {
        let target = "\(path)/\(Self.summaryName)"
        let partial = "\(target).partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SettingError("The file \(partial) can't be written.") }
        try OpenFile(descriptor: descriptor).write(try Self.text(summary))
        guard rename(partial, target) == 0 else { throw SettingError("The file \(target) can't be written.") }
    }
}

/// The counts of a run, as `summary.json` has them.
struct ImportSummary: Codable {
    /// Nil for a plan.
    var run: String?
    let source: String
    let file: String
    /// The digest of the file, as its closing line has it.
    let sha256: String
    /// `planned`, or the state of the run.
    var state: String
    /// The last line that the reports know.
    var line: Int
    var read: Int
    var imported: Int
    var counts: ImportCounts
    /// Identities by their providers' neutral names.
    let identities: [String: Int]
    /// Those that `--map` leaves out; nil if it leaves out none, and in summaries of older versions.
    let omitted: [String: Int]?
    /// Those that logins find, by the app's providers.
    let mapped: [String: Int]
    let members: [String: Int]
    /// What records have that the source may have left out.
    let lost: [String: Int]

    init(_ survey: ImportSurvey, source: String, file: String, sha256: String) {
        self.source = source
        self.file = file
        self.sha256 = sha256
        (identities, mapped, members, lost) = (survey.identities, survey.mapped, survey.statuses, survey.lost)
        omitted = survey.omitted.isEmpty ? nil : survey.omitted
        state = "planned"
        (line, read, imported, counts) = (0, 0, 0, ImportCounts())
    }

    mutating func set(_ counts: ImportCounts, upTo line: Int) {
        self.counts = counts
        self.line = line
        (read, imported) = (counts.read, counts.imported)
    }

    mutating func set(_ run: ImportRun) throws {
        self.run = run.id
        state = run.state.rawValue
        set(try run.progress, upTo: Int(run.checkpoint))
    }
}

/// A file of lines that is written on after an interruption.
final class ReportFile {
    /// Longer than every line.
    private static let tailBytes = 262_144

    private let descriptor: Int32
    private let file: OpenFile

    /// Opens the file, or makes it. A last line that is not whole is removed.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(path) can't be written: \(String(cString: strerror(errno))).")
        }
        file = OpenFile(descriptor: descriptor)
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        let begin = max(0, size - Int64(Self.tailBytes))
        let tail = try file.read(atMost: Self.tailBytes, from: begin)
        let whole = tail.lastIndex(of: 0x0a).map { begin + Int64($0) + 1 } ?? begin
        guard whole == size || ftruncate(descriptor, off_t(whole)) == 0 else {
            throw SettingError("The file \(path) can't be written.")
        }
    }

    var isEmpty: Bool { lseek(descriptor, 0, SEEK_END) == 0 }

    func write(_ lines: [UInt8]) throws {
        guard !lines.isEmpty else { return }
        try file.write(lines)
    }
}
