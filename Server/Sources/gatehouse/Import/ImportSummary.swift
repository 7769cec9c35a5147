import GatehouseCore
import GatehousePlatform

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
