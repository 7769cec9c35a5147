import ArgumentParser
import GatehouseCore
import GatehouseSecurity
import GatehouseWire

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "Show what the server does after a commit: waiting, done and dead jobs.",
        discussion: "A dead job was tried for about two days, or can't succeed: what is left to do is for a person.")

    @OptionGroup var data: DataArguments
    @Option(help: "waiting, done or dead. Default: all") var state: String?
    @Option(help: "How many, up to 1000.") var limit = 100

    func run() async throws {
        var wanted: JobRecord.State?
        if let state {
            wanted = JobRecord.State(rawValue: state)
            guard wanted != nil else { throw ValidationError("A job is waiting, done or dead.") }
        }
        let rows = try await data.run(ListJobs(state: wanted, limit: limit)).map { job -> [Shown] in
            [
                .text(job.id), .text(job.state.rawValue), .text(job.app.rawValue), .text(job.kind.rawValue),
                .count(job.attempts), .time(job.state == .waiting ? job.nextAt.milliseconds : nil),
                .text(job.lastError),
            ]
        }
        try data.output.list(["id", "state", "app", "kind", "tries", "next", "lastError"], rows)
    }
}
