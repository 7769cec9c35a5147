import ArgumentParser
import GatehousePlatform
import GatehouseStorage

struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy the database into another one, such as from SQLite to PostgreSQL. Servers must be stopped.",
        discussion: """
            The other database must have no rows yet. It gets all of them in one transaction: an interrupted copy leaves none, and \
            can be repeated. The database that is copied stays as it is. The master key is not copied, and the other database \
            needs the same one.
            """)

    @OptionGroup var data: DataArguments
    @Option(
        help: """
            The other database: sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME. A URL with a password belongs into the \
            environment variable GATEHOUSE_TO_DATABASE, because other users of the machine can read a process's arguments.
            """)
    var toDatabase: String?

    func run() async throws {
        let settings = try data.settings(also: ["to-database": toDatabase])
        let place = try DataPlace(settings)
        guard let named = settings.text("to-database") else {
            throw SettingError("Say with --to-database where the copy goes.")
        }
        let target: DatabaseLocation
        do {
            target = try DatabaseLocation(named.value)
        } catch {
            throw SettingError("The setting to-database is wrong (\(named.source)): \(error)")
        }
        // The schema is checked before anything is made.
        await (try place.open()).close()
        if let path = target.filePath {
            try DataPlace.createFolder(of: path)
            OpenFile.createForOwnerOfFolder(path)
        }
        let summary = try await DatabaseTransfer.copy(place.location, to: target, migrations: Migration.all) {
            Terminal.complain("\($0)")
        }
        try data.output.result(
            [
                Fact("database", .text("\(place.location)")), Fact("toDatabase", .text("\(target)")),
                Fact("tables", .count(summary.tables)), Fact("rows", .count(summary.rows)),
            ], "\(target) holds all \(summary.rows) rows of the \(summary.tables) tables of \(place.location).",
            "Its servers need the same master key, from \(place.keyDescription).")
    }
}
