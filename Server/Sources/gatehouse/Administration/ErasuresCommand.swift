import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

struct ErasuresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasures",
        abstract: "Print the withdrawals since a time, or carry them out again in a database that was restored.",
        discussion: """
            A restored database has everybody once more who has left since its copy was made. Print the withdrawals regularly \
            to where the copies are, and carry them out again with --replay after a restore, before the server starts. \
            A server's log will do as well: other lines are passed over, and so is who has left already. A log also tells which \
            secret keys have ended, and which operators were disabled, demoted or got new credentials: that is done again, too.
            """)

    @OptionGroup var data: DatabaseArguments
    @Option(help: "A time such as 2026-12-01T03:00:00Z; up to ten minutes before it are printed too. Default: all")
    var since: String?
    @Option(help: "The file to carry out again: what this command has printed, or a log; - is standard input.")
    var replay: String?
    @Option(help: "Why, for the ledger.") var reason = "carried out again after a restore"

    func run() async throws {
        guard let replay else { return try await export() }
        guard since == nil else { throw ValidationError("Give either --since or --replay.") }
        let file = try ReplayedFile(replay)
        try await data.open { try await file.replay(on: $0, reason: reason) }
        try file.end()
    }

    private func export() async throws {
        let since = try since.map { try Words.date($0) } ?? Moment(milliseconds: 0)
        try await data.open { administration in
            var page: ListErasures? = ListErasures(since: since)
            while let list = page {
                let (erasures, next) = try await administration.run(list)
                for erasure in erasures { Terminal.say("\(try erasure.line)") }
                page = next.map(ListErasures.init(after:))
            }
        }
    }
}
