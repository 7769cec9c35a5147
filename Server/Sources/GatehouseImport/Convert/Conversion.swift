import GatehouseJSON

/// Makes a neutral file of another system's files, or of the rows of its tables, which are read like lines of a file. It is a function of
/// these and of what the operator says: no clock, no network.
package struct Conversion {
    private struct Source {
        let input: ImportInput
        let form: ImportForm
        /// The open file, if it can be read only once.
        let open: ByteReader?
    }

    private let source: any ImportSource
    private let kind: ImportKind
    private let tell: (ConversionIncident) -> Void
    private let progress: (Int) -> Void
    private var report = ConversionReport()
    private var details = DetailIndex()
    /// The hash of each record by that of its player's id: 16 bytes for each, so that a doubled record is noticed.
    private var seen: [Int: Int] = [:]

    /// - Parameters:
    ///   - progress: gets the number of records that were read, after each thousand.
    ///   - tell: gets each record that did not come along, as it is met.
    package init(
        _ kind: ImportKind, options: ConversionOptions, progress: @escaping (Int) -> Void = { _ in },
        tell: @escaping (ConversionIncident) -> Void
    ) throws(ConversionFailure) {
        self.kind = kind
        self.tell = tell
        self.progress = progress
        source = try ImportSources.source(kind, options)
    }

    /// - Parameter write: takes the neutral file's bytes in pieces. Nothing is written before every file's form is known.
    package mutating func run(
        _ inputs: [ImportInput], header: NeutralHeader, to write: @escaping ([UInt8]) throws -> Void
    ) throws -> ConversionReport {
        var sources: [Source] = []
        for input in inputs { sources.append(try recognise(input)) }
        let players = sources.filter(\.form.hasPlayers)
        guard !players.isEmpty else { throw ConversionFailure(.noPlayers, "none of the files has players") }
        if let parts = sources.compactMap(\.form.parts).max(), parts > players.count {
            throw ConversionFailure(
                .missingParts, "the index names \(parts) parts, and \(players.count) are among the files")
        }
        for source in sources where !source.form.hasPlayers { try readDetails(source) }
        details.close()
        var file = try NeutralFileWriter(header, to: write)
        var pages = PageCount()
        for source in players { try convert(source, to: &file, &pages) }
        if pages.isMissingLast, !report.files.isEmpty {
            report.files[report.files.count - 1].notes.append(.pageFollows)
        }
        report.unusedDetails = details.unused
        report.end = try file.finish()
        return report
    }

    // MARK: Forms

    private func recognise(_ input: ImportInput) throws -> Source {
        let stream = try input.open()
        var reader = ByteReader(stream)
        if input.isTables, let form = source.tables { return Source(input: input, form: form, open: reader) }
        let start = FileStart(bytes: try reader.start())
        guard !start.bytes.starts(with: [0xff, 0xfe]), !start.bytes.starts(with: [0xfe, 0xff]) else {
            throw ConversionFailure(.notUTF8, file: input.name, "its text is UTF-16: save it as UTF-8")
        }
        let form: ImportForm?
        do {
            form = try source.form(of: start)
        } catch {
            throw ConversionFailure(error.code, file: input.name, error.message)
        }
        guard let form else {
            throw ConversionFailure(
                .unknownForm, file: input.name, "it has none of the forms that \(kind.rawValue)'s files have")
        }
        return Source(input: input, form: form, open: stream.readAt == nil ? reader : nil)
    }

    // MARK: Details

    private mutating func readDetails(_ source: Source) throws {
        var file = ConversionReport.File(name: source.input.name, form: source.form.name)
        defer { report.files.append(file) }
        guard case .lines = source.form.framing else { return }
        guard source.open == nil else {
            throw ConversionFailure(
                .needsFile, file: file.name, "it is read again for each player, so it can't be a pipe")
        }
        let stream = try source.input.open()
        var lines = LineReader(ByteReader(stream), limit: ImportLimits.sourceBytes)
        let number = details.add(stream)
        while let line = try lines.next() {
            guard case .bytes(let bytes) = line.content else {
                reject(detail: RecordProblem(.tooLong, "the line is too long"), file.name, line.number)
                continue
            }
            if bytes.allSatisfy({ $0 <= 0x20 }) { continue }
            file.records += 1
            do throws(RecordProblem) {
                switch FramedRecord.json(bytes) {
                case .json(let value):
                    let players = try self.source.players(of: try SourceObject(value))
                    details.add(players, file: number, offset: line.offset, length: bytes.count)
                    report.details += 1
                case .broken(let problem): throw problem
                case .row: throw RecordProblem(.badType, "it must be an object")
                }
            } catch {
                reject(detail: error, file.name, line.number)
            }
        }
    }

    private mutating func reject(detail problem: RecordProblem, _ file: String, _ line: Int) {
        report.rejectedDetails[problem.code.rawValue, default: 0] += 1
        tell(
            ConversionIncident(
                outcome: .rejected, file: file, line: line, legacyID: nil, code: problem.code.rawValue,
                path: problem.path, message: problem.message))
    }

    // MARK: Players

    private mutating func convert(_ source: Source, to output: inout NeutralFileWriter, _ pages: inout PageCount) throws
    {
        var file = ConversionReport.File(name: source.input.name, form: source.form.name, notes: source.form.notes)
        var records = source.form.reader(try source.open ?? ByteReader(try source.input.open()))
        if source.form.hasHeader { _ = try records.next() }
        while let record = try records.next() {
            file.records += 1
            report.read += 1
            if report.read.isMultiple(of: 1_000) { progress(report.read) }
            try convert(record, in: source.form, of: file.name, to: &output)
        }
        file.notes += records.notes
        pages.add(records.pages)
        report.files.append(file)
    }

    private mutating func convert(
        _ record: FramedRecord, in form: ImportForm, of file: String, to output: inout NeutralFileWriter
    ) throws {
        var draft = MemberDraft()
        var found: [SourceObject] = []
        do throws(RecordProblem) {
            switch record.content {
            case .json(let value): try source.convert(.object(try SourceObject(value)), in: form, to: &draft)
            case .row(let row): try source.convert(.row(row), in: form, to: &draft)
            case .broken(let problem): throw problem
            }
        } catch {
            return conclude(draft, record, file, .rejected, error.code.rawValue, error.path, error.message)
        }
        if draft.skip == nil { found = try details.details(of: draft.member.legacyID, in: source) }
        do throws(RecordProblem) {
            if draft.skip == nil {
                try source.complete(&draft, with: found)
                try draft.finish()
                try noteDouble(&draft)
            }
        } catch {
            return conclude(draft, record, file, .rejected, error.code.rawValue, error.path, error.message)
        }
        if let skip = draft.skip {
            return conclude(draft, record, file, .skipped, skip.rawValue, "", skip.message)
        }
        try write(draft, to: &output, record, file)
    }

    /// Skips what stands in the files a second time, and refuses it if it says something else.
    private mutating func noteDouble(_ draft: inout MemberDraft) throws(RecordProblem) {
        let (id, content) = (ExactText(draft.member.legacyID).hashValue, draft.member.bytes.hashValue)
        switch seen.updateValue(content, forKey: id) {
        case nil: break
        case content?: draft.skip = .doubled
        case let first?:
            seen[id] = first
            throw RecordProblem(.twiceInFile, "a record with this id and other content stands before it")
        }
    }

    private mutating func write(
        _ draft: MemberDraft, to output: inout NeutralFileWriter, _ record: FramedRecord, _ file: String
    ) throws {
        var member = draft.member
        var bytes = member.bytes
        // What was read may be beyond a reader's limits once it stands in a record of its own.
        if member.extra != nil, bytes.count > ImportLimits.lineBytes || (try? StrictJSON.parse(bytes)) == nil {
            member.extra = nil
            bytes = member.bytes
            reduce(
                draft, record, file, "extraTooLarge", "extra",
                "what has no place in the record is too large for its line")
        }
        if let extra = member.extra, extra.hasRoundedNumber {
            reduce(draft, record, file, "roundedNumber", "extra", "it has a number with more digits than can be kept")
        }
        guard bytes.count <= ImportLimits.lineBytes else {
            let message = "the record's line would have more than \(ImportLimits.lineBytes) bytes"
            return conclude(draft, record, file, .rejected, RecordProblem.Code.tooLong.rawValue, "", message)
        }
        try output.write(member, as: bytes)
        report.count(draft)
    }

    private mutating func reduce(
        _ draft: MemberDraft, _ record: FramedRecord, _ file: String, _ code: String, _ path: String, _ message: String
    ) {
        report.reduced[code, default: 0] += 1
        conclude(draft, record, file, .reduced, code, path, message)
    }

    private mutating func conclude(
        _ draft: MemberDraft, _ record: FramedRecord, _ file: String, _ outcome: ConversionIncident.Outcome,
        _ code: String, _ path: String, _ message: String
    ) {
        switch outcome {
        case .skipped: report.skipped[code, default: 0] += 1
        case .rejected: report.rejected[code, default: 0] += 1
        case .reduced: break
        }
        let id = draft.member.legacyID
        tell(
            ConversionIncident(
                outcome: outcome, file: file, line: record.line, legacyID: id.isEmpty ? nil : id, code: code,
                path: path,
                message: message))
    }
}

extension StrictJSON.Value {
    /// Whether a whole number is so large that its last digits may be lost.
    fileprivate var hasRoundedNumber: Bool {
        switch self {
        case .number(let number): abs(number) >= 9_007_199_254_740_992
        case .array(let values): values.contains { $0.hasRoundedNumber }
        case .object(let members): members.contains { $0.value.hasRoundedNumber }
        case .null, .bool, .integer, .string: false
        }
    }
}

/// What only the operator knows about the files.
package struct ConversionOptions: Sendable {
    /// Whether tables of Firebase's command before 15.19.0 are read all the same.
    package var acceptsOldTables = false
    /// The tenant whose players are taken; nil for those without one.
    package var tenant: String?
    /// The columns of Gamebase's table by the name of what they hold. A column is its name or its number from 1.
    package var columns: [String: String] = [:]
    /// How many minutes the times without a zone are ahead of UTC; nil if such times are refused.
    package var zoneMinutes: Int?
    /// The codes of Gamebase's providers whose `authKey` is the provider's own id, which the operator has tried.
    package var authKeysAreSubjects: Set<String> = []
    /// When the files were made.
    package var takenDate: Int64?

    package init() {}
}

/// Where files with more details tell of which player. Only the places are kept, 24 bytes for each, and a line is read again when it is its
/// player's turn.
struct DetailIndex {
    private struct Place {
        let hash: Int
        let offset: Int64
        let length: Int32
        let file: Int32
    }

    private var streams: [ImportInput.Stream] = []
    private var places: [Place] = []
    private var isUsed: [Bool] = []

    /// How many players have details and are not among the players.
    var unused: Int { isUsed.count { !$0 } }

    mutating func add(_ stream: ImportInput.Stream) -> Int32 {
        streams.append(stream)
        return Int32(streams.count - 1)
    }

    mutating func add(_ players: [String], file: Int32, offset: Int64, length: Int) {
        for player in players {
            places.append(
                Place(hash: ExactText(player).hashValue, offset: offset, length: Int32(clamping: length), file: file))
        }
    }

    /// Makes it ready to be asked.
    mutating func close() {
        places.sort { ($0.hash, $0.file, $0.offset) < ($1.hash, $1.file, $1.offset) }
        isUsed = Array(repeating: false, count: places.count)
    }

    /// The lines that tell of a player, in the order of the files.
    mutating func details(of player: String, in source: any ImportSource) throws -> [SourceObject] {
        guard !places.isEmpty else { return [] }
        let hash = ExactText(player).hashValue
        var (index, end) = (0, places.count)
        while index < end {
            let middle = index + (end - index) / 2
            if places[middle].hash < hash { index = middle + 1 } else { end = middle }
        }
        var details: [SourceObject] = []
        while index < places.count, places[index].hash == hash {
            let place = places[index]
            let line = try streams[Int(place.file)].readAt?(place.offset, Int(place.length)) ?? []
            guard let value = try? StrictJSON.parse(line), let detail = try? SourceObject(value),
                let players = try? source.players(of: detail)
            else { throw ConversionFailure(.changedFile, "a file with more details was changed while it was read") }
            // Two ids may have the same hash.
            if players.contains(where: player.isExactly) {
                details.append(detail)
                isUsed[index] = true
            }
            index += 1
        }
        return details
    }
}
