import ArgumentParser
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the database into a file, while servers run.",
        discussion: """
            The file is for its owner alone, and is read back before it gets its name. Nothing is overwritten. The master key is \
            not in it: keep that apart. For PostgreSQL the programs pg_dump and pg_restore must be in PATH.
            """)

    @OptionGroup var data: DatabaseArguments
    @Argument(help: "The file, which is not there yet.") var file: String

    func run() async throws {
        let place = try DataPlace(data.settings())
        let begin = ServerEnvironment.live.now()
        let summary = try DatabaseCopy.write(place.location, to: file) { Terminal.complain("\($0)") }
        Terminal.say(
            "\(file) is a copy of \(place.location) with migration \(summary.migration), of \(summary.bytes) bytes, and was read back"
        )
        Terminal.say("withdrawals since: gatehouse erasures --since \(Words.time(begin.milliseconds))")
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a copy of `gatehouse backup` back into the database. Servers must be stopped.",
        discussion: """
            A database that holds something is not touched unless you say --replace. Afterwards, and before the server starts, \
            carry out again the withdrawals since the copy: gatehouse erasures --replay.
            """)

    @OptionGroup var data: DatabaseArguments
    @Argument(help: "The file that `gatehouse backup` has written.") var file: String
    @Flag(help: "Give up what the database holds now.") var replace = false

    func run() async throws {
        let place = try DataPlace(data.settings())
        if let path = place.location.filePath { try DataPlace.createFolder(of: path) }
        let summary = try await DatabaseCopy.restore(
            file, to: place.location, replacing: replace, known: Migration.all.map(\.number).max() ?? 0
        ) { Terminal.complain("\($0)") }
        Terminal.say("\(place.location) holds \(file) now, with migration \(summary.migration).")
        Terminal.say("Before the server starts, carry out again who has left since the copy:")
        Terminal.say("  gatehouse erasures --replay FILE")
        Terminal.say("Sessions that have ended since live again. To end their access tokens, for each app:")
        Terminal.say("  gatehouse app rotate-key APP --revoke-others")
    }
}
