import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// Brings players of another system along.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring players of another system along.",
        subcommands: [
            LegacySourceCommand.self, ConvertPlayersCommand.self, ImportMembersCommand.self, ImportStatusCommand.self,
            ResumeImportCommand.self, VerifyImportCommand.self, UndoImportCommand.self, ForgetImportCommand.self,
            ReleaseCommand.self,
        ])
}

/// `gatehouse import members`: brings the members of a neutral file.
struct ImportMembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members", abstract: "Bring the members of a neutral file into an app.",
        discussion: """
            The whole file is read first, and what would happen is printed. Then the members are written in batches beside a running \
            server. A run that was cut goes on with `gatehouse import resume`. The same file twice changes nothing, and what was changed \
            here since stays. The exit status is 0 if every record came in, 2 if some were skipped or rejected, 1 after an error, 64 for \
            a wrong call, and 130 after an interruption.
            """)

    @OptionGroup var app: AppArguments
    @Option(help: "The source, as `gatehouse import source set` has named it.") var source: String
    @Argument(help: "The neutral file, as `gatehouse import convert` has made it. - is standard input.") var file:
        String
    @OptionGroup var choices: ImportChoices
    @Flag(help: "Only say what would happen, and write nothing to the database.") var dryRun = false
    @Flag(help: "Do not ask before writing.") var yes = false

    func validate() throws {
        guard file != "-" || dryRun || yes else {
            throw ValidationError("A file from standard input needs --yes or --dry-run: nobody can be asked there.")
        }
        guard !(dryRun && yes) else { throw ValidationError("Give either --dry-run or --yes.") }
    }

    func run() async throws {
        Self.endAtInterrupt()
        let choices = try choices.options(file: file)
        let counts = try await ImportText.ending {
            try await app.open(audit: .inDatabaseAlone) { administration, app in
                var options = choices
                if file == "-" { options.file = try KeptInput.keep(in: options.reports, at: administration.now) }
                let work = MemberImport(
                    administration: administration, app: app, source: source, options: options,
                    isJSON: self.app.output.json)
                return try await run(work)
            }
        }
        guard counts.isClean else { throw ExitCode(2) }
    }

    private func run(_ work: MemberImport) async throws -> ImportCounts {
        var isBegun = false
        // Nothing goes on with the file of a run that has not begun.
        defer { if !isBegun { KeptInput.remove(work.options) } }
        let survey = try await work.survey()
        ImportText.tell(survey.counts, file: file)
        let folder = try dryRun ? ImportRunFolder(planPath(work)) : nil
        let plan = try await work.plan(survey) { outcomes, records in try folder?.report(outcomes, of: records) }
        ImportText.tell(plan, "plan")
        if let folder {
            var summary = ImportSummary(
                survey.counts, source: source, file: work.options.file, sha256: survey.sha256)
            summary.set(plan, upTo: 0)
            try folder.write(summary)
            if app.output.json { try Terminal.json(summary) }
            Terminal.say("reports: \(folder.path)")
            return plan
        }
        guard yes || Terminal.ask("Import them? Answer yes or no: ") == "yes" else {
            Terminal.say("Nothing was written.")
            throw ExitCode.failure
        }
        let run = try await work.administration.run(
            BeginImport(survey.task, digest: survey.digest, records: survey.total), in: work.app)
        isBegun = true
        return try await Self.write(run, survey, work)
    }

    /// Writes what is left of a run, and says how it has ended.
    static func write(_ run: ImportRun, _ survey: MemberImport.Survey, _ work: MemberImport) async throws
        -> ImportCounts
    {
        let folder = try ImportRunFolder("\(work.options.reports)/\(run.id)")
        Terminal.complain("run \(run.id), reports: \(folder.path)")
        let done: ImportRun
        do {
            done = try await work.write(run, survey, to: folder)
        } catch {
            Terminal.complain("The run was cut. `gatehouse import resume \(run.id)` goes on.")
            throw error
        }
        let counts = try done.progress
        ImportText.tell(counts, "run \(run.id)")
        if work.isJSON { try Terminal.json(counts) }
        return counts
    }

    private func planPath(_ work: MemberImport) -> String {
        "\(work.options.reports)/plan-\(work.administration.now.milliseconds)"
    }

    /// An interruption loses nothing: what is written is written with its checkpoint.
    static func endAtInterrupt() { signal(SIGINT) { _ in _exit(130) } }
}

/// What an operator chooses for an import.
struct ImportChoices: ParsableArguments {
    @Option(
        help: """
            The identity provider of the app for one of the file, as NAME=IDP or NAME=IDP:NAMESPACE, such as oidc.main=studio. Known \
            ones, such as google.com, have theirs. NAME= leaves its identities out. May be given several times.
            """)
    var map: [String] = []
    @Option(
        help: """
            To whose team, app or channel the ids of a provider belong, as IDP=NAMESPACE, such as appleid=TEAM123456. Needed for appleid, \
            facebook, iosgamecenter, line, kakao and naver, because no file says it.
            """)
    var asserts: [String] = []
    @Option(help: "new draws user ids; keep takes those of the file, which must be free.") var userIds =
        ImportOptions.UserIDs.new
    @Option(
        help: """
            What happens if a player came before the file: adopt gives that member the old id, report skips the record.
            """)
    var onHeld = ImportOptions.HeldIdentities.adopt
    @Option(help: "A file with your decisions about conflicts, with LEGACYID,USERID or LEGACYID,skip a line.")
    var resolve: String?
    @Option(help: "How many records one transaction has at most.") var batch = ImportOptions.standardBatch
    @Option(help: "How many records are written a second at most. Default: as many as there can be") var rate: Int?
    @Option(help: "The folder for reports.") var runs = "import-runs"

    func options(file: String) throws -> ImportOptions {
        var options = ImportOptions()
        options.file = Self.absolute(file)
        options.reports = Self.absolute(runs)
        (options.userIDs, options.heldIdentities, options.batch) = (userIds, onHeld, batch)
        options.rate = rate
        for pair in map {
            let (name, target) = try Self.target(of: pair)
            guard options.providers.updateValue(target, forKey: name) == nil else {
                throw ValidationError("The name of \(pair) stands twice.")
            }
        }
        for pair in asserts {
            let (provider, namespace) = try Self.pair(pair, "IDP=NAMESPACE")
            guard options.assertions.updateValue(namespace, forKey: Provider(provider)) == nil else {
                throw ValidationError("The provider of \(pair) stands twice.")
            }
        }
        if let resolve { options.resolutions = try Self.resolutions(resolve) }
        return options
    }

    /// What `NAME=IDP`, `NAME=IDP:NAMESPACE` or `NAME=` says.
    private static func target(of pair: String) throws -> (name: String, ImportOptions.Target) {
        let wrong = ValidationError("\(pair) is not NAME=IDP, NAME=IDP:NAMESPACE or NAME=.")
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { throw wrong }
        guard !parts[1].isEmpty else { return (parts[0], .omitted) }
        let target = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !target[0].isEmpty, target.last?.isEmpty == false else { throw wrong }
        return (parts[0], .init(provider: Provider(target[0]), namespace: target.count > 1 ? target[1] : nil))
    }

    private static func pair(_ text: String, _ form: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("\(text) is not \(form).") }
        return (parts[0], parts[1])
    }

    private static func resolutions(_ path: String) throws -> [String: ImportOptions.Resolution] {
        var resolutions: [String: ImportOptions.Resolution] = [:]
        let text = String(decoding: try OpenFile.reading(path).readToEnd(), as: UTF8.self)
        for (index, line) in text.utf8.split(separator: 0x0a).enumerated() {
            let line = line.last == 0x0d ? line.dropLast() : line
            guard let comma = line.lastIndex(of: 0x2c), comma > line.startIndex else {
                throw ValidationError("Line \(index + 1) of \(path) is not LEGACYID,USERID or LEGACYID,skip.")
            }
            let (id, word) = (
                String(decoding: line[..<comma], as: UTF8.self),
                String(decoding: line[line.index(after: comma)...], as: UTF8.self)
            )
            guard let resolution = ImportOptions.Resolution(rawValue: word), !word.isEmpty,
                resolutions.updateValue(resolution, forKey: id) == nil
            else { throw ValidationError("Line \(index + 1) of \(path) has no decision, or its id stands twice.") }
        }
        return resolutions
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}

extension ImportOptions.UserIDs: ExpressibleByArgument {}
extension ImportOptions.HeldIdentities: ExpressibleByArgument {}

/// A neutral file that came by standard input. It is read several times, so it is kept beside the reports, for its owner alone.
enum KeptInput {
    private static let pieceBytes = 1 << 20
    private static let prefix = "input-"

    /// - Returns: the path of the file.
    static func keep(in reports: String, at moment: Moment) throws -> String {
        try PrivateFolder.createNamed(reports)
        let path = "\(reports)/\(prefix)\(moment.milliseconds).jsonl"
        // Another process of the same millisecond has another file.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SettingError("The file \(path) can't be written.") }
        let file = OpenFile(descriptor: descriptor)
        while true {
            let piece = try OpenFile.standardInput.read(atMost: pieceBytes)
            guard !piece.isEmpty else { return path }
            try file.write(piece)
        }
    }

    /// Removes the file of an import, if it is such a one and still there.
    @discardableResult
    static func remove(_ options: ImportOptions) -> Bool {
        guard options.file.hasPrefix("\(options.reports)/\(prefix)"), options.file.hasSuffix(".jsonl") else {
            return false
        }
        return unlink(options.file) == 0
    }
}
