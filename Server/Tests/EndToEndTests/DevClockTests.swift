import Foundation
import GatehouseStorage
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The clock of `gatehouse dev`, which developers can move.
@Suite(.timeLimit(.minutes(10))) struct DevClockTests {
    @Test("The clock of a database is where it was left, for whoever opens it", arguments: Engine.available)
    func kept(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            let clock = try await DevClock.kept(in: database)
            #expect(clock.offsetSeconds == 0)
            #expect(try await clock.advance(seconds: 8 * 86_400, in: database))
            #expect(try await clock.advance(seconds: 1, in: database))
            for wrong in [-1, .min, .max, 3_155_760_000] as [Int64] {
                #expect(try await !clock.advance(seconds: wrong, in: database))
            }
            #expect(clock.offsetSeconds == 8 * 86_400 + 1)
            #expect(try await DevClock.kept(in: database).offsetSeconds == 8 * 86_400 + 1)
            try await clock.reset(in: database)
            #expect(clock.offsetSeconds == 0)
            #expect(try await DevClock.kept(in: database).offsetSeconds == 0)
            #expect(try await clock.advance(seconds: 60, in: database))
            // A production server uses the machine's time.
            try await DevClock.forget(in: database)
            #expect(try await DevClock.kept(in: database).offsetSeconds == 0)
        }
    }

    @Test(
        "Operators' commands have the time of `gatehouse dev`, which a restart keeps and `reset` takes back; `serve` has none"
    )
    func commands() async throws {
        try await withFolder { folder in
            @Sendable func run(_ arguments: String..., status: Int32 = 0) async throws -> Command.Result {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == status, "\(arguments): \(result.text)")
                return result
            }
            let words = "whoever checks access tokens by that refuses those of this server"
            var server = try await ServingCommand.start(["dev"], in: folder)
            #expect(try await run("dev", "clock", "--server", server.url).lines.count == 1)
            let moved = try await run("dev", "clock", "+8d", "--server", server.url).text
            #expect(moved.contains("8d ahead of the real time") && moved.contains(words))
            for wrong in ["8d", "-8d", "+8y", "+", "+d", "+99999999999999999999d"] {
                let refused = try await Command.run(["dev", "clock", "--server", server.url, "--", wrong], in: folder)
                #expect(refused.status != 0, "\(wrong)")
            }

            // The fake world has that time, too.
            _ = try await run(
                "play", "--server", server.url, "--storage", "g.json", "--script", "login:google,map:naver,heartbeat")

            // A member of the moved time is banned by a command with the same time.
            let guest = try await run("play", "--storage", "d.json", "--json", "--script", "guest").text
            let user = try #require(guest.firstMatch(of: /"userId":"([A-Z0-9]+)"/)?.output.1)
            let day = { (days: Double) in Date().addingTimeInterval(days * 86_400).formatted(.iso8601) }
            _ = try await run("ban", "add", String(user), "--until", day(4), "--reason", "past", status: 1)
            let before = day(8)
            _ = try await run("ban", "add", String(user), "--until", day(9), "--reason", "future")
            // A day may end meanwhile.
            let begins = [before, day(8)].map { "TEMPORARY\t\($0.prefix(10))" }
            let list = try await run("ban", "list").text
            #expect(begins.contains { list.contains($0) }, "\(list)")
            #expect(try await run("member", "show", String(user)).text.contains("future"))

            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
            server = try await ServingCommand.start(["dev"], in: folder)
            #expect(try await run("dev", "clock", "--server", server.url).text.contains(words))
            #expect(try await run("dev", "clock", "reset", "--server", server.url).lines.count == 1)
            // The dates in the future stay in the future.
            _ = try await run("ban", "release", String(user), "--reason", "reset")
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)

            server = try await ServingCommand.start(
                ["serve", "--database", "sqlite:serve.db", "--key-file", "serve.key"], in: folder)
            let refused = try await Command.run(["dev", "clock", "+1s", "--server", server.url], in: folder)
            #expect(refused.text.contains("no clock"))
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }
}
