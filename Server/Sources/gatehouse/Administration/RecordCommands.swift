import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

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

/// A file with what has happened since a copy was made: a log, or what `gatehouse erasures` and `gatehouse audit` have printed.
struct ReplayedFile {
    private var erasures: [Erasure] = []
    private var changes: [AccessChange] = []
    /// The numbers of lines that can't be read, and may matter.
    private var broken: [Int] = []

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws {
        let bytes = try OpenFile.reading(path).readToEnd()
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: line, as: UTF8.self)
            do throws(Erasure.Unreadable) {
                erasures.append(try Erasure(line: line))
                continue
            } catch {
                if error == .broken { broken.append(index + 1) }
            }
            do throws(Erasure.Unreadable) {
                changes.append(try AccessChange(line: line))
            } catch {
                if error == .broken { broken.append(index + 1) }
            }
        }
    }

    /// Carries out again what the database does not know.
    func replay(on administration: Administration, reason: String) async throws {
        let done = try await administration.run(ReplayErasures(erasures), reason: reason)
        for user in done.withdrawn { Terminal.say("\(user) has withdrawn") }
        for user in done.pending { Terminal.say("\(user) will withdraw when its time is over") }
        for user in done.staying { Terminal.say("\(user) had cancelled its withdrawal and stays") }
        for failure in done.failed { Terminal.complain("\(failure.user) could not be withdrawn: \(failure.reason)") }
        let access = try await administration.run(ReplayAccess(changes))
        for (app, ids) in access.secrets.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Terminal.say("\(app): the secret keys \(ids.joined(separator: ", ")) have ended")
        }
        for name in access.disabled { Terminal.say("the operator \(name) is disabled") }
        for name in access.demoted { Terminal.say("the operator \(name) has lower roles") }
        for name in access.withoutCredentials {
            Terminal.say("the operator \(name) needs a new link: gatehouse operator invite \(name)")
        }
        let passedOver = done.passedOver + access.passedOver
        if passedOver > 0 { Terminal.say("passed over: \(passedOver), which are done already") }
        guard done.failed.isEmpty else { throw ExitCode.failure }
    }

    /// - Throws: after naming the lines that can't be read.
    func end() throws {
        for number in broken {
            Terminal.complain("line \(number) tells of a withdrawal, a secret key or an operator, and can't be read")
        }
        guard broken.isEmpty else { throw ExitCode.failure }
    }
}
