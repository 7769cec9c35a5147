import ArgumentParser
import GatehouseCore
import GatehouseServer
import GatehouseStorage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the database's schema up to date.",
        discussion: """
            Makes a database where there is none. A server does the same by itself at its start, unless create-database is false; a \
            schema newer than this version is refused.
            """)

    @Flag(
        help: """
            Then distribute the tables over the nodes of a Citus cluster, by app. Tables that are distributed already stay as they \
            are: call it again after an update.
            """)
    var distributed = false
    @OptionGroup var data: DataArguments

    func run() async throws {
        let place = try DataPlace(data.settings())
        try await place.openOrCreate().database.closing { database in
            var facts = [
                Fact("database", .text("\(place.location)")), Fact("migration", .count(Migration.newest)),
            ]
            data.output.done("The schema of \(place.location) is up to date.")
            if distributed {
                let lines = try await database.distribute(.gatehouse)
                for line in lines { data.output.done("\(line)") }
                facts.append(Fact("distributed", .list(lines)))
            }
            try data.output.result(facts)
        }
    }
}
