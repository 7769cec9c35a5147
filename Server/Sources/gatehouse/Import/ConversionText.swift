import GatehouseImport
import GatehouseJSON
import GatehouseSecurity
import GatehouseServer

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
