import Foundation
import GatehouseWire
import Testing

@testable import gatehouse

/// What somebody asks in the first hour: whether a player can log in, and for an app like the one that is there.
@Suite(.timeLimit(.minutes(10))) struct NewcomerCommandTests {
    private struct Answer: Decodable {
        struct Line: Decodable {
            let text: String
            let stops: Bool
            let code: Int?
            let until: String?
            let message: String?
        }

        let user: String
        let canLogIn: Bool
        let code: Int?
        let error: String?
        let lines: [Line]
    }

    private struct Ground {
        let folder: URL
        let server: ServingCommand

        static func open(_ test: (Ground) async throws -> Void) async throws {
            try await withFolder { folder in
                let ground = Ground(folder: folder, server: try await ServingCommand.start(["dev"], in: folder))
                try await test(ground)
                ground.server.command.signal(SIGTERM)
                #expect(await ground.server.command.status() == 0)
            }
        }

        func run(_ arguments: String..., status: Int32 = 0) async throws -> Command.Result {
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == status, "\(arguments): \(result.text)")
            return result
        }

        /// The user id of a new guest.
        func guest() async throws -> String {
            struct Step: Decodable { let userId: String? }
            let played = try await run("play", "--json", "--script", "guest")
            let line = try #require(played.lines.last)
            return try #require(try JSONDecoder().decode(Step.self, from: Data(line.utf8)).userId)
        }

        /// The answer in JSON, which must be the one of the exit code.
        func ask(_ user: String, can: Bool) async throws -> Answer {
            let result = try await run("member", "can-log-in", user, "--json", status: can ? 0 : 2)
            let line = try #require(result.lines.first { $0.hasPrefix("{") }, "\(result.text)")
            let answer = try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
            #expect(answer.user == user && answer.canLogIn == can && (answer.code == nil) == can)
            return answer
        }
    }

    @Test("`gatehouse member can-log-in` answers what the console's page of the member does, with its exit code")
    func canLogIn() async throws {
        try await Ground.open { ground in
            let user = try await ground.guest()
            let fine = try await ground.run("member", "can-log-in", user).lines
            #expect(fine.contains("can log in   yes") && fine.contains("fine         The app: In service"))
            #expect(fine.contains("fine         The member: Normal") && !fine.contains { $0.hasPrefix("stops") })
            #expect(try await ground.ask(user, can: true).lines.count == 3)

            _ = try await ground.run("ban", "add", user, "--until", "2100-01-01T00:00:00Z", "--reason", "bot")
            let banned = try await ground.run("member", "can-log-in", user, status: 2).lines
            #expect(banned.contains("can log in   no, the login ends with 7 BANNED_MEMBER"), "\(banned)")
            #expect(
                banned.contains("stops        The member: Banned")
                    && banned.contains("fine         The app: In service"))
            #expect(banned.contains("until        2100-01-01T00:00:00Z"))
            _ = try await ground.run("ban", "release", user, "--reason", "mistake")

            _ = try await ground.run(
                "app", "maintenance", "devgame", "--end", "2100-01-01T00:00:00Z", "--message", "en=Later.")
            let closed = try await ground.ask(user, can: false)
            let line = try #require(closed.lines.first)
            #expect(line.text == "The app: Maintenance" && line.stops && line.message == "Later.")
            #expect(line.until == "2100-01-01T00:00:00Z" && line.code == closed.code && closed.lines.count == 3)
            _ = try await ground.run("app", "maintenance", "devgame", "--remove")

            _ = try await ground.run("member", "withdraw", user, "--reason", "asked")
            #expect(try await ground.ask(user, can: false).lines.contains { $0.text == "The member: Deleted" })
            let unknown = try await ground.ask(String(repeating: "A", count: 16), can: false)
            #expect(unknown.code == 3003 && unknown.lines.map(\.text) == ["The app has no member with this user id."])
            // That an app does not exist is no answer about the member.
            let wrong = try await ground.run("member", "can-log-in", user, "--app", "nobody", status: 1)
            #expect(wrong.text.contains("There is no app nobody in this database. There are: devgame."))
        }
    }

    @Test("A script says what a choice or an end is about, and the transaction id of an error finds its player")
    func whatPlayersRead() async throws {
        try await Ground.open { ground in
            let conflict = try await ground.run(
                "play", "--script", "guest,map:google,device:b,guest,?map:google,withdraw-request")
            let first = try #require(conflict.lines.first { $0.hasPrefix("guest ") }?.split(separator: " ")[1])
            #expect(conflict.lines.contains("  mappedUserId  \(first)"), "\(conflict.text)")
            #expect(conflict.lines.contains("  providers  google"))
            #expect(conflict.lines.contains { $0.hasPrefix("  lastLoginDate  20") && $0.hasSuffix("Z") })
            #expect(conflict.lines.contains { $0.hasPrefix("  gracePeriodDate  20") && $0.hasSuffix("Z") })

            let play = ["play", "--storage", "device.json", "--language", "ko", "--script"]
            let user = try await Command.objects(play + ["guest"], in: ground.folder).last?["userId"]?.stringValue
            let banned = try #require(user)
            _ = try await ground.run("ban", "template", "--code", "1", "--message", "en=No.", "--message", "ko=안돼요")
            _ = try await ground.run("ban", "add", banned, "--permanent", "--template", "1", "--reason", "bot")
            let error = try await Command.objects(play + ["?last"], in: ground.folder).last?["error"]?.objectValue
            let id = try #require(error?["transactionId"]?.stringValue)
            let refused = try await Command.run(play + ["guest"], in: ground.folder)
            #expect(refused.status == 1 && refused.text.contains("BANNED_MEMBER: 안돼요"), "\(refused.text)")

            // The server writes refused calls about every second.
            var found = try await Command.run(["member", "search", id], in: ground.folder)
            while found.status != 0, !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(200))
                found = try await Command.run(["member", "search", id], in: ground.folder)
            }
            #expect(found.lines.contains { $0.hasPrefix("refused at 20") && $0.contains(": 7") }, "\(found.text)")
            #expect(found.lines.contains { $0.hasPrefix("\(banned)\t") }, "\(found.text)")
        }
    }

    @Test("The columns of a table stand below each other on a screen, whichever language is in them")
    func columns() {
        let rows = [["ID", "NAME", "STATUS"], ["mygame", "가나다", "in-service"], ["x", "e\u{301}", ""]]
        #expect(
            Terminal.aligned(rows).map(\.shown) == [
                "ID      NAME    STATUS", "mygame  가나다  in-service", "x       e\u{301}      ",
            ])
    }

    @Test("`gatehouse app create --like` says line by line what the new app has of the other, and what it has not")
    func like() async throws {
        try await Ground.open { ground in
            _ = try await ground.run(
                "ban", "template", "--app", "devgame", "--code", "1", "--message", "en=No.", "--message", "ko=안돼요")
            _ = try await ground.run("app", "accounts", "devgame", "--redirect", "devgame://login")
            let created = try await ground.run("app", "create", "mygame", "--like", "devgame").lines
            for line in [
                "app id      mygame", "copied\tdefault language: en", "copied\tban texts: 1", "copied\tlimits",
            ] {
                #expect(created.contains(line), "\(created)")
            }
            for beginning in [
                "secret key  gsk_", "copied\taccounts: deletion, restoring, transfers (on)",
                "not copied\tredirects (devgame://login): ", "not copied\tlimits that devgame does not have (newGuests",
                "not copied\tmembers, keys and secrets",
            ] {
                #expect(created.contains { $0.hasPrefix(beginning) }, "\(created)")
            }
            let fake = try #require(created.first { $0.contains("of the fake world") })
            #expect(fake.hasPrefix("not copied\t") && fake.contains("google") && fake.contains("appleid"))
            #expect(try await ground.run("app", "transfer", "mygame").text.contains("block "))
            #expect(try await ground.run("ban", "template", "--app", "mygame").text.contains("ko=안돼요"))
            #expect(try await ground.run("app", "limits", "mygame").text.contains("new guests per minute      30000"))
            #expect(!(try await ground.run("idp", "list", "--app", "mygame")).text.contains("google"))
            #expect(try await ground.run("audit").text.contains(#""like":"devgame""#))

            let unknown = try await ground.run("app", "create", "other", "--like", "nobody", status: 1)
            #expect(unknown.text.contains("There is no app nobody in this database."))
            _ = try await ground.run("app", "create", "mygame", "--like", "devgame", status: 1)
            #expect(!(try await ground.run("app", "list")).text.contains("other"))
        }
    }
}
