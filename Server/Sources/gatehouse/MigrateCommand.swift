import ArgumentParser
import GatehouseCore
import GatehouseServer
import GatehouseStorage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the database's schema up to date.",
        discussion: "A server does it by itself at its start; a schema newer than this version is refused.")

    @OptionGroup var data: DatabaseArguments

    func run() async throws {
        let place = try DataPlace(data.settings())
        let database = try await place.openOrCreate()
        await database.close()
        Terminal.say("The schema of \(place.location) is up to date.")
    }
}
