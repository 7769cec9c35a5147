import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// `gatehouse import resume`: goes on with a run that was cut.
struct ResumeImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Go on with an import that was cut.",
        discussion: """
            The file is read from its beginning, so that it is proven to be the same one, and written from where the run was cut. A run \
            whose process was killed half a minute ago or less is waited for.
            """)

    private static let patienceSeconds = 35

    @OptionGroup var app: AppArguments
    @Argument(help: ArgumentHelp("The run.", valueName: "run")) var id: String
    @Option(help: "How many records are written a second at most from now on. Default: as before") var rate: Int?

    func run() async throws {
        ImportMembersCommand.endAtInterrupt()
        let counts = try await ImportText.ending {
            try await app.open(audit: .inDatabaseAlone) { administration, app in
                let begun = try await administration.run(ReadImport(id: id), in: app)
                var options = try begun.choices
                options.rate = rate ?? options.rate
                let work = MemberImport(
                    administration: administration, app: app, source: begun.source, options: options,
                    isJSON: self.app.output.json)
                let survey = try await work.survey()
                return try await ImportMembersCommand.write(try await leased(survey, work), survey, work)
            }
        }
        guard counts.isClean else { throw ExitCode(2) }
    }

    private func leased(_ survey: MemberImport.Survey, _ work: MemberImport) async throws -> ImportRun {
        let resume = ResumeImport(id: id, digest: survey.digest)
        for _ in 0..<Self.patienceSeconds {
            do {
                return try await work.administration.run(resume, in: work.app)
            } catch let failure as ImportFailure where failure.code == .busy {
                try await ServerEnvironment.live.pause(1_000_000_000)
            }
        }
        return try await work.administration.run(resume, in: work.app)
    }
}

/// `gatehouse import status`: how imports stand.
struct ImportStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "List the imports of an app, newest first, or say how one stands.")

    @OptionGroup var app: AppArguments
    @Argument(help: ArgumentHelp("The run. Default: all", valueName: "run")) var id: String?

    func run() async throws {
        try await ImportText.ending {
            try await app.open { administration, app in
                guard let id else {
                    let rows = try await administration.run(ListImports(), in: app).map { run -> [Shown] in
                        let counts = try run.progress
                        return [
                            .text(run.id), .text(run.source), .text(Self.state(run, at: administration.now)),
                            .text(run.begunBy), .time(run.begunAt.milliseconds), .count(counts.imported),
                            .count(counts.skippedRecords), .count(counts.rejectedRecords),
                        ]
                    }
                    return try self.app.output.list(
                        ["run", "source", "state", "by", "begun", "imported", "skipped", "rejected"], rows)
                }
                let run = try await administration.run(ReadImport(id: id), in: app)
                guard !self.app.output.json else { return try Terminal.json(run.progress) }
                let options = try run.choices
                Terminal.say("\(options.file), from \(run.source): \(Self.state(run, at: administration.now))")
                ImportText.tell(try run.progress, "up to line \(run.checkpoint)")
                Terminal.say("reports: \(options.reports)/\(run.id)")
                for match in try await administration.run(ReadImportMatches(), in: app) { ImportText.tell(match) }
            }
        }
    }

    private static func state(_ run: ImportRun, at moment: Moment) -> String {
        switch run.state {
        case .done: "done \(Words.time(run.endedAt?.milliseconds))"
        case .undone: "undone \(Words.time(run.endedAt?.milliseconds))"
        case .begun: run.isGoingOn(at: moment) ? "going on" : "cut, to be resumed"
        }
    }
}
