import GatehouseCore
import GatehouseImport
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// Reads a file of members and has the core decide about its records, batch by batch.
struct MemberImport {
    let administration: Administration
    let app: AppID
    let source: String
    let options: ImportOptions
    let isJSON: Bool

    /// What the first reading of the file has found out.
    struct Survey {
        let task: ImportTask
        let counts: ImportSurvey
        let sha256: String

        var total: Int { counts.members + counts.rejected }
        /// The digest of the file's closing line. The reader has compared it with the file.
        var digest: [UInt8] { Array(sha256.utf8) }
    }

    func open() throws -> NeutralFileReader {
        let path = options.file
        return try NeutralFileReader(ImportInput(name: path) { ImportInput.Stream(try OpenFile.reading(path)) })
    }

    /// Reads the whole file, so that one that is cut or has ids of another kind is refused before anything is written.
    func survey() async throws -> Survey {
        var reader = try open()
        let mapping = try await administration.run(
            .importMapping(source: source, options: options, header: reader.header), in: app)
        var counts = ImportSurvey(mapping)
        var progress = ImportProgress("reading", of: nil, asJSON: isJSON)
        while let record = try reader.next() {
            counts.add(record)
            progress.tell(counts.members + counts.rejected)
        }
        return Survey(task: try counts.finish(), counts: counts, sha256: reader.end?.sha256 ?? "")
    }

    /// Asks what an import would do with every record.
    func plan(_ survey: Survey, _ report: ([ImportOutcome], [NeutralFileReader.Record]) throws -> Void) async throws
        -> ImportCounts
    {
        var counts = ImportCounts()
        var progress = ImportProgress("planning", of: survey.total, asJSON: isJSON)
        try await forEachBatch(survey) { records in
            let outcomes = try await administration.run(PlanImport(survey.task, records), in: app)
            for outcome in outcomes { counts.add(outcome) }
            try report(outcomes, records)
            progress.tell(counts.read, conflicts: counts.skippedRecords + counts.rejectedRecords)
        }
        return counts
    }

    /// Writes the records after the run's checkpoint, and reports them. Of those that are written, the ones after the last line of the
    /// reports are reported again.
    func write(_ begun: ImportRun, _ survey: Survey, to folder: ImportRunFolder) async throws -> ImportRun {
        var run = begun
        var summary = ImportSummary(survey.counts, source: source, file: options.file, sha256: survey.sha256)
        let reported = folder.reported ?? 0
        var progress = ImportProgress("importing", of: survey.total, asJSON: isJSON)
        var pace = ImportPace(options.rate, clock: ServerEnvironment.live.monotonicNanoseconds)
        var size = pace.size(atMost: options.batch)
        var reader = try open()
        while true {
            let records = try next(size, of: &reader)
            guard let last = records.last else { break }
            let known = records.filter { $0.line <= Int(begun.checkpoint) && $0.line > reported }
            if !known.isEmpty {
                try folder.report(try await administration.run(PlanImport(survey.task, known), in: app), of: known)
            }
            let new = records.filter { $0.line > Int(begun.checkpoint) }
            guard !new.isEmpty else { continue }
            let written = try await administration.run(WriteImport(survey.task, run, new), in: app)
            run = written.run
            try folder.report(written.outcomes, of: new)
            try summary.set(run)
            summary.line = last.line
            try folder.write(summary)
            size = written.size(after: size, atMost: pace.size(atMost: options.batch))
            let counts = try run.progress
            progress.tell(counts.read, conflicts: counts.skippedRecords + counts.rejectedRecords)
            try await pause(pace.wait(after: new.count))
        }
        try requireSame(reader, survey)
        run = try await administration.run(FinishImport(run), in: app)
        try summary.set(run)
        try folder.write(summary)
        return run
    }

    private func pause(_ nanoseconds: UInt64) async throws {
        guard nanoseconds > 0 else { return }
        try await ServerEnvironment.live.pause(nanoseconds)
    }

    /// Reads all records again, batch by batch.
    func forEachBatch(
        _ survey: Survey, _ body: ([NeutralFileReader.Record]) async throws -> Void
    ) async throws {
        var reader = try open()
        while true {
            let records = try next(options.batch, of: &reader)
            guard !records.isEmpty else { break }
            try await body(records)
        }
        try requireSame(reader, survey)
    }

    private func next(_ count: Int, of reader: inout NeutralFileReader) throws -> [NeutralFileReader.Record] {
        var records: [NeutralFileReader.Record] = []
        while records.count < count, let record = try reader.next() { records.append(record) }
        return records
    }

    /// A file that is replaced while it is read has been surveyed in vain.
    private func requireSame(_ reader: NeutralFileReader, _ survey: Survey) throws {
        guard reader.end?.sha256 == survey.sha256 else {
            throw SettingError("The file \(options.file) was changed while it was read.")
        }
    }
}
