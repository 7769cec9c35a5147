import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehouseJSON

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
            "\(match.provider): \(match.imported) identities imported; \(match.new) of the first \(match.all) logins of the last 24 hours made new members"
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
