import ArgumentParser
import Foundation
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
            A server's log will do as well: other lines are passed over, and so is who has left already.
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
        let (erasures, broken) = try Self.read(replay)
        let done = try await Administration.open(data) { try await $0.replay(erasures, reason: reason) }
        for user in done.withdrawn { Terminal.say("\(user) has withdrawn") }
        for user in done.pending { Terminal.say("\(user) will withdraw when its time is over") }
        for user in done.staying { Terminal.say("\(user) had cancelled its withdrawal and stays") }
        if done.passedOver > 0 { Terminal.say("passed over: \(done.passedOver), which are done already") }
        for failure in done.failed { Terminal.complain("\(failure.user) could not be withdrawn: \(failure.reason)") }
        for number in broken { Terminal.complain("line \(number) tells of a withdrawal and can't be read") }
        guard done.failed.isEmpty, broken.isEmpty else { throw ExitCode.failure }
    }

    private func export() async throws {
        let since = try since.map { try Words.date($0) } ?? Moment(milliseconds: 0)
        try await Administration.open(data) { administration in
            try await administration.erasures(since: since) { Terminal.say("\(try $0.line)") }
        }
    }

    /// The steps in a file, and the numbers of broken lines.
    private static func read(_ path: String) throws -> (erasures: [Erasure], broken: [Int]) {
        let bytes = try OpenFile.reading(path).readToEnd()
        var erasures: [Erasure] = []
        var broken: [Int] = []
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            do throws(Erasure.Unreadable) {
                erasures.append(try Erasure(line: String(decoding: line, as: UTF8.self)))
            } catch {
                if error == .broken { broken.append(index + 1) }
            }
        }
        return (erasures, broken)
    }
}
