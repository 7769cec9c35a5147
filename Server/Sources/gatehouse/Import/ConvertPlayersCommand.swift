import ArgumentParser
import GatehouseImport
import GatehousePlatform
import GatehouseSecurity
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

/// What the operator knows of the files, for the first line of the neutral file.
struct ConvertedFacts: ParsableArguments {
    @Option(help: "Your name for the old system, such as firebase-main. Default: the kind") var source: String?
    @Option(help: "When the files were made, such as 2026-12-01T03:00:00+09:00.") var taken: String?
    @Option(
        help:
            "A fact about where the players come from, as NAME=VALUE, such as project=my-game. May be given several times."
    )
    var from: [String] = []

    var takenDate: Int64? { get throws { try taken.map(Words.date)?.milliseconds } }

    func header(_ kind: ImportKind, _ options: ConversionOptions) throws -> NeutralHeader {
        var facts: [(name: String, value: String)] = []
        for pair in from {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !facts.contains(where: { $0.name == parts[0] }) else {
                throw ValidationError("\(pair) is not NAME=VALUE, or its name stands twice.")
            }
            facts.append((parts[0], parts[1]))
        }
        let header = NeutralHeader(
            source: source ?? kind.rawValue, sourceKind: kind.rawValue, takenDate: options.takenDate, from: facts)
        do {
            try header.check()
        } catch {
            throw ValidationError("\(error.path): \(error.message).")
        }
        return header
    }
}

/// The old system's own database, as the input of a conversion in the place of files.
struct OldDatabase: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            With nakama and supabase, in the place of files: read the system's own PostgreSQL, all of it as it is at this moment, and \
            change nothing there. The address has no password: that comes from PGPASSWORD, ~/.pgpass or --password-file.
            """, valueName: "postgres://USER@HOST:PORT/NAME"))
    var fromDatabase: String?
    @Option(help: "With --from-database: a file with the password. - is standard input.") var passwordFile: String?

    /// The rows of the system's players; nil if the players come from files.
    ///
    /// - Throws: ``ForeignDatabaseFailure``.
    func rows(_ kind: ImportKind) throws -> Rows? {
        guard let fromDatabase else {
            guard passwordFile == nil else { throw ValidationError("--password-file needs --from-database.") }
            return nil
        }
        guard let select = kind.select else {
            let kinds = ImportKind.allCases.filter { $0.select != nil }.map(\.rawValue).joined(separator: " and ")
            throw ValidationError("--from-database is for \(kinds), and not for \(kind.rawValue).")
        }
        let database: ForeignDatabase
        do {
            database = try ForeignDatabase(fromDatabase)
        } catch {
            let remedy = error == .hasPassword ? " Say it with PGPASSWORD or --password-file, and change it." : ""
            throw ValidationError("The address of --from-database is wrong: \(error).\(remedy)")
        }
        let password = try passwordFile.map { try OpenFile.text(of: $0) }
        return Rows(name: "\(database)", rows: try database.rows(of: select, password: password))
    }

    /// The rows of one snapshot, which are read once.
    struct Rows {
        let name: String
        let rows: ForeignRows

        /// Each row is a line.
        var input: ImportInput {
            ImportInput(name: name, isTables: true) {
                var bytes: ArraySlice<UInt8> = []
                return ImportInput.Stream { limit in
                    while bytes.count < limit, let row = try rows.next() {
                        bytes += row
                        bytes.append(0x0a)
                    }
                    let piece = bytes.prefix(limit)
                    bytes = bytes.dropFirst(piece.count)
                    return Array(piece)
                }
            }
        }
    }
}
