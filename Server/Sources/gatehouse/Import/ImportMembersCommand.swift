import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

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
