import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehouseJSON
import GatehouseSecurity
import GatehouseServer

/// What an import says to the operator.
enum ImportText {
    static func tell(_ survey: ImportSurvey, file: String) {
        Terminal.say("\(file): \(survey.members) members, \(survey.rejected) records that can't be read")
        for (title, counts) in [
            ("members by status", survey.statuses), ("identities in the file", survey.identities),
            ("identities left out by --map", survey.omitted), ("identities that logins here find", survey.mapped),
            ("the source may have left out", survey.lost),
        ] where !counts.isEmpty { Terminal.say("  \(title): \(list(counts))") }
        Terminal.say("  devices: \(survey.devices), bans: \(survey.bans)")
    }

    static func tell(_ counts: ImportCounts, _ title: String) {
        Terminal.say(
            "\(title): \(counts.read) read = \(counts.imported) imported + \(counts.skippedRecords) skipped + \(counts.rejectedRecords) rejected"
        )
        Terminal.say(
            "  imported: \(counts.created) new, \(counts.unchanged) unchanged, \(counts.extended) changed, \(counts.adopted) came before the file"
        )
        for (title, counts) in [
            ("skipped", counts.skipped), ("rejected", counts.rejected), ("left out of records", counts.notes),
        ] where !counts.isEmpty {
            Terminal.say("  \(title): \(list(counts))")
            for code in counts.keys.sorted() {
                if let message = ImportCode(rawValue: code)?.message { Terminal.say("    \(code): \(message)") }
            }
        }
    }

    static func tell(_ match: ImportMatch) {
        Terminal.say(
            "\(match.provider): \(match.imported) identities imported; \(match.new) of the latest \(match.all) logins since then made new members"
        )
        guard match.isSuspicious else { return }
        Terminal.say(
            "  WARNING: players are not recognized. Is it the same team, app or kind of ids as in the old system?")
    }

    static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Runs the work of an import, and ends the command with the status that its failure has.
    static func ending<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let failure as ImportFailure where [.badOption, .unasserted, .noUserIDs].contains(failure.code) {
            Terminal.complain("\(failure.message) (\(failure.code.rawValue))")
            throw ExitCode.validationFailure
        } catch let failure as ImportFailure {
            Terminal.complain("\(failure.message) (\(failure.code.rawValue))")
            throw ExitCode.failure
        } catch let failure as NeutralFileFailure {
            Terminal.complain("\(failure) (\(failure.code.rawValue))")
            throw ExitCode.failure
        }
    }
}

/// Says each second how far an import is, on standard error.
struct ImportProgress {
    private struct Line: Encodable {
        let step: String
        let records: Int
        let of: Int
        let recordsPerSecond: Int
        let secondsLeft: Int?
        let conflicts: Int
    }

    let step: String
    /// How many records there are; nil before they are counted.
    let total: Int?
    let asJSON: Bool
    private let clock = ServerEnvironment.live.monotonicNanoseconds
    private let start: UInt64
    private var told: UInt64

    init(_ step: String, of total: Int?, asJSON: Bool) {
        (self.step, self.total, self.asJSON) = (step, total, asJSON)
        start = clock()
        told = start
    }

    mutating func tell(_ records: Int, conflicts: Int = 0) {
        let now = clock()
        guard now >= told &+ 1_000_000_000 else { return }
        told = now
        let rate = Int(UInt64(max(0, records)) * 1_000 / max(1, (now - start) / 1_000_000))
        let left = total.map { max(0, $0 - records) / max(1, rate) }
        if asJSON {
            let line = Line(
                step: step, records: records, of: total ?? records, recordsPerSecond: rate, secondsLeft: left,
                conflicts: conflicts)
            if let text = try? JSONText.sorted(line) { Terminal.complain("\(text)") }
        } else {
            let rest = left.map { ", \($0) s left" } ?? ""
            Terminal.complain("\(step): \(records) records, \(rate) a second\(rest), \(conflicts) conflicts")
        }
    }
}

/// The report of a conversion, for people and for programs.
enum ConversionText {
    static func tell(_ incident: ConversionIncident, asJSON: Bool) {
        if asJSON {
            return say(
                Incident(
                    outcome: incident.outcome.rawValue, file: incident.file, line: incident.line,
                    legacyId: incident.legacyID, code: incident.code, path: incident.path, message: incident.message))
        }
        let player = incident.legacyID.map { " (\($0))" } ?? ""
        let place = incident.path.isEmpty ? "" : " at \(incident.path)"
        Terminal.complain(
            "\(incident.file), line \(incident.line)\(player): \(incident.outcome.rawValue), \(incident.code)\(place): \(incident.message)"
        )
    }

    /// Says each second how many records were read.
    static func progress(asJSON: Bool) -> (Int) -> Void {
        let clock = ServerEnvironment.live.monotonicNanoseconds
        let start = clock()
        var told = start
        return { read in
            let now = clock()
            guard now >= told + 1_000_000_000 else { return }
            told = now
            let rate = UInt64(read) * 1_000 / ((now - start) / 1_000_000)
            if asJSON {
                say(Progress(read: read, recordsPerSecond: Int(rate)))
            } else {
                Terminal.complain("\(read) read, \(rate) a second")
            }
        }
    }

    static func summarise(_ report: ConversionReport, asJSON: Bool) {
        if asJSON { return say(Summary(report)) }
        for file in report.files {
            Terminal.complain("\(file.name): \(file.form), \(file.records) read")
            for note in file.notes { Terminal.complain("  \(note.message)") }
        }
        Terminal.complain(
            "\(report.read) read = \(report.imported) imported + \(sum(report.skipped)) skipped + \(sum(report.rejected)) rejected"
        )
        for (title, counts) in titled(report) where !counts.isEmpty { Terminal.complain("  \(title): \(list(counts))") }
        if report.details > 0 || !report.rejectedDetails.isEmpty {
            Terminal.complain(
                "  lines with more details: \(report.details), and \(report.unusedDetails) players in them are not among the players"
            )
        }
    }

    private static func titled(_ report: ConversionReport) -> [(String, [String: Int])] {
        [
            ("skipped", report.skipped), ("rejected", report.rejected), ("details rejected", report.rejectedDetails),
            ("members by status", report.statuses), ("identities", report.identities), ("devices", report.devices),
            ("bans", report.bans > 0 ? ["all": report.bans] : [:]), ("the source may have left out", report.lost),
            ("identities that no file can match", report.unmatched),
            ("identities whose form is not their provider's", report.misfits),
            ("came along with less", report.reduced), ("left out and never written", report.dropped),
            ("unknown and left out", report.ignored),
        ]
    }

    private static func sum(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func say(_ value: some Encodable) {
        guard let text = try? JSONText.sorted(value) else { return }
        Terminal.complain("\(text)")
    }

    private struct Progress: Encodable {
        let read: Int
        let recordsPerSecond: Int
    }

    private struct Incident: Encodable {
        let outcome: String
        let file: String
        let line: Int
        let legacyId: String?
        let code: String
        let path: String
        let message: String
    }

    private struct Summary: Encodable {
        struct File: Encodable {
            let name: String
            let form: String
            let records: Int
            let notes: [String]
        }

        let files: [File]
        let read: Int
        let imported: Int
        let skipped: [String: Int]
        let rejected: [String: Int]
        let details: Int
        let rejectedDetails: [String: Int]
        let unusedDetails: Int
        let statuses: [String: Int]
        let identities: [String: Int]
        let devices: [String: Int]
        let bans: Int
        let lost: [String: Int]
        let unmatched: [String: Int]
        let misfits: [String: Int]
        let reduced: [String: Int]
        let dropped: [String: Int]
        let ignored: [String: Int]
        let sha256: String

        init(_ report: ConversionReport) {
            files = report.files.map {
                File(name: $0.name, form: $0.form, records: $0.records, notes: $0.notes.map(\.rawValue))
            }
            (read, imported, skipped, rejected) = (report.read, report.imported, report.skipped, report.rejected)
            (details, rejectedDetails) = (report.details, report.rejectedDetails)
            unusedDetails = report.unusedDetails
            (statuses, identities, devices) = (report.statuses, report.identities, report.devices)
            (bans, lost, unmatched, misfits) = (report.bans, report.lost, report.unmatched, report.misfits)
            (reduced, dropped, ignored) = (report.reduced, report.dropped, report.ignored)
            sha256 = report.end.sha256
        }
    }
}
