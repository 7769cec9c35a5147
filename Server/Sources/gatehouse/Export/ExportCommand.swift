import ArgumentParser
import GatehouseCore
import GatehouseImport
import GatehouseJSON
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

/// A folder that one export at a time writes to. `export.json` says which one has begun, so that one that was cut can be repeated and nothing
/// else is overwritten.
struct ExportClaim {
    static let name = "export.json"

    private struct Begun: Codable, Equatable {
        let app: String
        let format: String
        let withHistory: Bool
    }

    private let descriptor: Int32

    init(_ folder: String, app: String, format: String, withHistory: Bool) throws {
        try PrivateFolder.createNamed(folder)
        let begun = Begun(app: app, format: format, withHistory: withHistory)
        let path = "\(folder)/\(Self.name)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        guard !names.contains(ExportFolder.manifest) else {
            throw SettingError("The folder \(folder) has an export already. Give another one.")
        }
        guard names.isEmpty || names.contains(Self.name) else {
            throw SettingError("The folder \(folder) is not empty, and has no export that was cut. Give another one.")
        }
        try PrivateFolder.close(folder)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(path) can't be written: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw SettingError("Another export writes to the folder \(folder).")
        }
        do {
            try Self.write(begun, to: descriptor, folder: folder)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func write(_ begun: Begun, to descriptor: Int32, folder: String) throws {
        let copy = OpenFile(descriptor: dup(descriptor))
        let earlier = try copy.read(atMost: 65_536, from: 0)
        // One that was killed before it had written its claim has written nothing else.
        if !earlier.isEmpty, let known = try? StoredJSON.read(Begun.self, from: earlier) {
            guard known == begun else {
                throw SettingError("The folder \(folder) has another export, which was cut. Give another one.")
            }
            return
        }
        guard ftruncate(descriptor, 0) == 0 else { throw SettingError("The folder \(folder) can't be written to.") }
        try copy.write(Array(try JSONText.sorted(begun).utf8) + [0x0a])
    }

    /// Lets another process have the folder.
    func release() { close(descriptor) }
}
