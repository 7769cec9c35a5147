import ArgumentParser
import GatehouseCore
import GatehouseSecurity
import GatehouseServer

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Print who has moderated, administered or withdrawn what, and by which door: a line of JSON each.",
        discussion: """
            From the database, in the order of time. What players do in their games is in `gatehouse member history`, and what \
            was refused in the server's log.
            """)

    @OptionGroup var data: DatabaseArguments
    @Option(help: "A time such as 2026-12-01T03:00:00Z; up to ten minutes before it are shown too. Default: all")
    var since: String?

    func run() async throws {
        let since = try since.map { try Words.date($0) } ?? Moment(milliseconds: 0)
        try await data.open { administration in
            var page: ListAuditRecords? = ListAuditRecords(since: since)
            while let list = page {
                let (records, next) = try await administration.run(list)
                for record in records { Terminal.say("\(try record.line)") }
                page = next.map(ListAuditRecords.init(after:))
            }
        }
    }
}
