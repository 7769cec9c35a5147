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
                let begun = try await administration.run(.importRun(id), in: app)
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
                    let rows = try await administration.run(.importRuns(), in: app).map { run -> [Shown] in
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
                let run = try await administration.run(.importRun(id), in: app)
                let matches = try await administration.run(.importMatches, in: app)
                guard !self.app.output.json else {
                    return try Terminal.json(Standing(counts: run.progress, logins: matches.map(Standing.Match.init)))
                }
                let options = try run.choices
                Terminal.say("\(options.file), from \(run.source): \(Self.state(run, at: administration.now))")
                ImportText.tell(try run.progress, "up to line \(run.checkpoint)")
                Terminal.say("reports: \(options.reports)/\(run.id)")
                for match in matches { ImportText.tell(match) }
            }
        }
    }

    /// The counts of a run, and in `logins` whether its players are recognized.
    private struct Standing: Encodable {
        struct Match: Encodable {
            let idp: Provider
            let imported: Int
            let newMembers: Int64
            let logins: Int64
            let isSuspicious: Bool

            init(_ match: ImportMatch) {
                (idp, imported) = (match.provider, match.imported)
                (newMembers, logins, isSuspicious) = (match.new, match.all, match.isSuspicious)
            }
        }

        private enum Key: CodingKey { case logins }

        let counts: ImportCounts
        let logins: [Match]

        func encode(to encoder: any Encoder) throws {
            try counts.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(logins, forKey: .logins)
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

/// `gatehouse import verify`: reads a run's file and the database again.
struct VerifyImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compare the file of an import with the database.",
        discussion: """
            It changes nothing. Members who came before the file differ where they have not the file's identities, and so does what \
            players and operators have changed since. The exit status is 0 if all is the same, and 2 otherwise.
            """)

    private static let shown = 20

    @OptionGroup var app: AppArguments
    @Argument(help: ArgumentHelp("The run.", valueName: "run")) var id: String

    func run() async throws {
        let differences = try await ImportText.ending {
            try await app.open(audit: .inDatabaseAlone) { administration, app in
                let begun = try await administration.run(.importRun(id), in: app)
                let work = MemberImport(
                    administration: administration, app: app, source: begun.source, options: try begun.choices,
                    isJSON: self.app.output.json)
                let survey = try await work.survey()
                guard survey.digest == begun.fileDigest else {
                    throw SettingError("The file \(work.options.file) is another one than that of the run.")
                }
                return try await verify(work, survey)
            }
        }
        guard differences == 0 else { throw ExitCode(2) }
    }

    private func verify(_ work: MemberImport, _ survey: MemberImport.Survey) async throws -> Int {
        var (same, differences, unreadable) = (0, 0, 0)
        var (skipped, identities, statuses): ([String: Int], [String: Int], [String: Int]) = ([:], [:], [:])
        var banned = 0
        try await work.forEachBatch(survey) { records in
            let found = try await work.administration.run(VerifyImport(survey.task, records), in: work.app)
            for difference in found.differences.prefix(max(0, Self.shown - differences)) {
                app.output.done(
                    "line \(difference.line) (\(difference.legacyID)): \(difference.kind.rawValue) \(difference.path)")
            }
            differences += found.differences.count
            same += found.same
            unreadable += found.unreadable
            banned += found.banned
            skipped.merge(found.skipped, uniquingKeysWith: +)
            identities.merge(found.identities, uniquingKeysWith: +)
            statuses.merge(found.statuses, uniquingKeysWith: +)
        }
        if unreadable > 0 { skipped["unreadable", default: 0] += unreadable }
        guard !app.output.json else {
            try app.output.show([
                Fact("same", .count(same)), Fact("differences", .count(differences)), Fact("banned", .count(banned)),
                Fact("skipped", .counts(skipped)), Fact("identities", .counts(identities)),
                Fact("statuses", .counts(statuses)),
            ])
            return differences
        }
        Terminal.say("\(same) members are as the file says, and there are \(differences) differences")
        if !skipped.isEmpty { Terminal.say("  not imported: \(ImportText.list(skipped))") }
        Terminal.say("  identities: \(ImportText.list(identities))")
        Terminal.say("  members by status: \(ImportText.list(statuses)), banned \(banned)")
        return differences
    }
}

/// `gatehouse import undo`: takes an import back.
struct UndoImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Delete the members of an import whom nobody has used or changed since.",
        discussion: "Members who have logged in, were claimed by a device or were changed stay, and are named.")

    private static let shown = 20

    @OptionGroup var app: AppArguments
    @Argument(help: ArgumentHelp("The run.", valueName: "run")) var id: String
    @Flag(help: "Do not ask before deleting.") var yes = false

    func run() async throws {
        let result = try await ImportText.ending {
            try await app.open(audit: .inDatabaseAlone) { administration, app in
                let begun = try await administration.run(.importRun(id), in: app)
                if !self.app.output.json { ImportText.tell(try begun.progress, "run \(begun.id)") }
                guard yes || Terminal.ask("Delete its members? Answer yes or no: ") == "yes" else {
                    Terminal.say("Nothing was deleted.")
                    throw ExitCode.failure
                }
                return try await administration.run(UndoImport(id: begun.id), in: app)
            }
        }
        guard !app.output.json else {
            let left = result.left.map { left in
                JSONValue.object(["userId": .string("\(left.user)"), "code": .string(left.code.rawValue)])
            }
            try app.output.show([
                Fact("deleted", .count(result.deleted)), Fact("left", Shown(text: "", value: .array(left))),
            ])
            guard result.left.isEmpty else { throw ExitCode(2) }
            return
        }
        Terminal.say("\(result.deleted) members are deleted, and \(result.left.count) stay")
        if !result.left.isEmpty { Terminal.say("  stay: \(ImportText.list(result.counts))") }
        for code in UndoImport.Code.allCases where result.counts[code.rawValue] != nil {
            Terminal.say("    \(code.rawValue): \(code.message)")
        }
        for left in result.left.prefix(Self.shown) { Terminal.say("  \(left.user)\t\(left.code.rawValue)") }
        guard result.left.isEmpty else { throw ExitCode(2) }
    }
}

/// `gatehouse import forget`: erases the reports of a run, which have ids of players.
struct ForgetImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Erase the reports of an import. The members stay.")

    @OptionGroup var app: AppArguments
    @Argument(help: ArgumentHelp("The run.", valueName: "run")) var id: String

    func run() async throws {
        try await ImportText.ending {
            let begun = try await app.run(.importRun(id))
            let choices = try begun.choices
            if KeptInput.remove(choices) { app.output.done("\(choices.file) is erased") }
            let folder = "\(choices.reports)/\(begun.id)"
            guard FileManager.default.fileExists(atPath: folder) else {
                return app.output.done("\(folder) is not there")
            }
            try FileManager.default.removeItem(atPath: folder)
            app.output.done("\(folder) is erased")
        }
    }
}
