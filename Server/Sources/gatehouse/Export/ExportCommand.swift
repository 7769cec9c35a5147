import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehousePlatform
import GatehouseServer
import GatehouseWire

/// `gatehouse export`: writes all members of an app into files.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all members of an app into files, for another server or another system.",
        discussion: """
            The members are from one snapshot of the database, beside a running server. No session and no secret is written. MISSING.txt \
            says what the files do not have, and manifest.json, which is written last, has their digests. An export that was cut is \
            repeated by the same command with the same folder.
            """)

    @OptionGroup var app: AppArguments
    @Option(
        help: """
            gatehouse for files that `gatehouse import members` reads; or firebase, auth0, kratos, supabase-sql or nakama for files that \
            these take.
            """)
    var format: ExportFormat = .gatehouse
    @Flag(help: "With gatehouse: also the history of the members, from the ledger.") var withHistory = false
    @Option(help: "The folder for the files. It is made, or empty, or has an export that was cut.") var output: String

    func validate() throws {
        guard !withHistory || format == .gatehouse else {
            throw ValidationError("Other systems do not take the history: --with-history goes with --format gatehouse.")
        }
        guard !output.isEmpty else { throw ValidationError("Say which folder, with --output.") }
    }

    func run() async throws {
        let (format, withHistory, output) = (format, withHistory, output)
        let (app, totals) = try await app.open(audit: .inDatabaseAlone) { administration, app in
            let claim = try ExportClaim(output, app: app.rawValue, format: format.rawValue, withHistory: withHistory)
            defer { claim.release() }
            let files = ExportedFiles()
            let export = ExportApp(format, withHistory: withHistory) { try ExportFolder(output, files) }
            let totals = try await administration.run(export, in: app)
            try ExportFolder.finish(
                output, ExportManifest(app: app.rawValue, format: format, totals: totals),
                missing: totals.missing(never: format.never), files)
            return (app, totals)
        }
        guard !self.app.output.json else {
            return try self.app.output.show([
                Fact("folder", .text(output)), Fact("app", .text(app.rawValue)),
                Fact("members", .count(totals.members)), Fact("taken", .time(totals.takenDate)),
            ])
        }
        Terminal.say(
            "\(output): \(totals.members) members of \(app) as of \(Words.time(totals.takenDate)); what they lack is in MISSING.txt"
        )
    }
}

extension ExportFormat: ExpressibleByArgument {}
