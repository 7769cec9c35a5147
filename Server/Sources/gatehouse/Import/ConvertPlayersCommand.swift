import ArgumentParser
import GatehouseImport
import GatehousePlatform
import GatehouseStorage

/// `gatehouse import convert`: makes a neutral file of another system's files, or of its database. It needs none of its own.
struct ConvertPlayersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make a neutral file of another system's files or database.",
        discussion: """
            The neutral file (gatehouse.members/1, a JSON object a line) goes to standard output, and a report to standard error. \
            E-mail addresses, phone numbers, names and passwords are counted and never written. The exit status is 0 if every record \
            could be read, 2 if some were rejected or a page is missing, 1 after an error, and 64 for a wrong call.
            """)

    @Option(
        help: "The system that the players come from: \(ImportKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var kind: ImportKind
    @Argument(help: "The files, or folders of files. - is standard input.") var files: [String] = []
    @OptionGroup var database: OldDatabase
    @OptionGroup var facts: ConvertedFacts
    @Option(
        help: """
            With gamebase: the columns of the console's table by what they hold, such as userId=USER_ID,registrationDate=3. A column is \
            its name or its number. Known are userId, registrationDate, lastLoginDate, valid, idPCode, idPId and guestId.
            """)
    var columns: String?
    @Option(help: "With gamebase: the zone of times that have none, such as +09:00.") var zone: String?
    @Option(
        help: """
            With gamebase: the code of a provider whose authKey is the provider's own id. Try it before with the call \
            idps/{idPCode}/members. May be given several times.
            """)
    var authKeyIsSubject: [String] = []
    @Option(help: "With firebase: the tenant whose players are taken. Default: those without a tenant") var tenant:
        String?
    @Flag(help: "With firebase: read tables of firebase-tools before 15.19.0, which have lost players.")
    var acceptOldTables = false
    @Flag(help: "Report in JSON: a line for each record that did not come along, and one with the counts.") var json =
        false

    func validate() throws {
        guard files.isEmpty != (database.fromDatabase == nil) else {
            throw ValidationError("Say either files or --from-database.")
        }
    }

    func run() throws {
        let report: ConversionReport
        do {
            report = try convert()
        } catch let failure as ConversionFailure where failure.code == .badOption {
            throw ValidationError(failure.message)
        } catch let failure as ConversionFailure {
            Terminal.complain("\(failure) (\(failure.code.rawValue))")
            throw ExitCode.failure
        } catch let failure as ForeignDatabaseFailure {
            Terminal.complain("\(failure) (\(failure.code.rawValue))")
            throw ExitCode.failure
        }
        ConversionText.summarise(report, asJSON: json)
        guard report.isComplete else { throw ExitCode(2) }
    }

    private func convert() throws -> ConversionReport {
        var options = try options()
        let rows = try database.rows(kind)
        options.takenDate = options.takenDate ?? rows?.rows.date
        let inputs = try rows.map { [$0.input] } ?? files.flatMap(Self.inputs)
        let isJSON = json
        var conversion = try Conversion(kind, options: options, progress: ConversionText.progress(asJSON: isJSON)) {
            ConversionText.tell($0, asJSON: isJSON)
        }
        return try conversion.run(inputs, header: try facts.header(kind, options)) {
            try OpenFile.standardOutput.write($0)
        }
    }

    private func options() throws -> ConversionOptions {
        var options = ConversionOptions()
        options.acceptsOldTables = acceptOldTables
        options.tenant = tenant
        options.authKeysAreSubjects = Set(authKeyIsSubject)
        options.takenDate = try facts.takenDate
        options.zoneMinutes = try zone.map(Self.minutes)
        for pair in (columns ?? "").split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, options.columns.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw ValidationError("\(pair) is not FIELD=COLUMN, or its field stands twice.")
            }
        }
        return options
    }

    /// The minutes that a zone such as +09:00 is ahead of UTC.
    private static func minutes(_ zone: String) throws -> Int {
        let digits = zone.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard zone.hasPrefix("+") || zone.hasPrefix("-"), digits.count == 2, digits.allSatisfy({ $0.utf8.count == 2 }),
            let hours = UInt(digits[0]), let minutes = UInt(digits[1]), hours < 24, minutes < 60
        else { throw ValidationError("\(zone) is not a zone such as +09:00.") }
        return (zone.hasPrefix("-") ? -1 : 1) * Int(hours * 60 + minutes)
    }

    /// A file, or those of a folder in the order of their names.
    private static func inputs(_ path: String) throws -> [ImportInput] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [input(path)] }
        let files = names.filter { !$0.hasPrefix(".") }.sorted().map { input("\(path)/\($0)") }
        guard !files.isEmpty else { throw ValidationError("The folder \(path) is empty.") }
        return files
    }

    private static func input(_ path: String) -> ImportInput {
        ImportInput(name: path) { ImportInput.Stream(try OpenFile.reading(path), isOnce: path == "-") }
    }
}

extension ImportKind: ExpressibleByArgument {}
