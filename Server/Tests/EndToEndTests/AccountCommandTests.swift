import Foundation
import Testing

/// How a developer views and an operator manages a player's account, only with the command.
@Suite(.timeLimit(.minutes(10))) struct AccountCommandTests {
    @Test("`gatehouse play --script` shows every call of the SDK, and the account after each")
    func play() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let steps = try await script(
                """
                guest,me,token,heartbeat,issue,query,renew:password,renew:both,renew:password:Abcdefgh12,\
                renew:both:123456789012:Abcdefgh12,map:google,map:facebook,unmap:facebook,?unmap:google,logout,login:google,\
                device:tablet,guest,?map:google,change,device:phone,guest,?map:google,force,withdraw-request,withdraw-cancel,\
                device:,last,device:old,player:bob,guest,issue,device:new,redeem,key:60,device:newer,redeem-key,\
                withdraw-request,withdraw-now,login:line,withdraw
                """, server.url, folder)
            #expect(steps.count == 42)
            for step in steps {
                #expect(step.ok || ["unmap:google", "map:google", "last"].contains(step.step), "\(step)")
                #expect(step.account?.state != nil)
            }
            let mapped = try #require(steps.first { $0.step == "map:google" })
            #expect(mapped.account?.mappings == ["google"])
            #expect(mapped.account?.lastProvider == "google")
            #expect(mapped.userId == steps[1].userId)
            let conflicts = steps.filter { $0.error?.code == 3302 }
            #expect(conflicts.count == 2)
            #expect(steps.first { $0.step == "change" }?.userId == mapped.userId)
            let forced = try #require(steps.first { $0.step == "force" })
            #expect(forced.userId != mapped.userId)
            #expect(forced.account?.mappings == ["google"])
            #expect(steps.first { $0.step == "withdraw-request" }?.account?.standing == "withdrawal_pending")
            #expect(steps.first { $0.step == "withdraw-cancel" }?.account?.standing == "good")
            // The first device has lost its identity because of the forced mapping.
            #expect(steps.first { $0.step == "last" }?.error?.code == 3102)
            #expect(steps.first { $0.step == "redeem" }?.ok == true)
            #expect(steps.first { $0.step == "redeem-key" }?.userId == steps.first { $0.step == "redeem" }?.userId)
            #expect(steps.last?.account?.notice == "withdrawn")
            server.command.signal(SIGTERM)
            let rest = await server.command.finish()
            #expect(rest.status == 0, "\(rest.text)")
        }
    }

    @Test(
        "An operator finds a member, reads its history, bans it, releases it and brings it back")
    func administration() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let steps = try await script(
                "player:carol,login:google,device:b,guest,?map:google,force", server.url, folder)
            let lost = try #require(steps[2].userId)
            let winner = try #require(steps.last?.userId)
            @Sendable func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == status, "\(arguments): \(result.text)")
                return result.text
            }
            #expect(try await run("member", "search", "carol").contains(winner))
            #expect(try await run("member", "search", "nobody", status: 1).contains("nobody"))
            #expect(try await run("member", "list", "--status", "M").contains(lost))
            let listed = try await run("member", "list")
            #expect(listed.contains("USER ID\tSTATUS\tREGISTERED\tLAST LOGIN"), "\(listed)")
            #expect(listed.contains("\(winner)\tY (normal)\t"), "\(listed)")
            let rows = try await run("member", "list", "--json").split(separator: "\n").filter { $0.hasPrefix("{") }
            let members = try rows.map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
            #expect(members.first { $0["userId"] == winner }?["status"] == "Y")
            #expect(members.first { $0["userId"] == lost }?["status"] == "M")
            #expect(try await run("member", "show", lost).contains("restorable"))
            #expect(try await run("member", "restore", lost, "--reason", "asked").contains("is a guest again"))
            let history = try await run("member", "history", lost)
            for event in ["member.created", "mapping.moved-away", "member.frozen", "member.restored"] {
                #expect(history.contains(event))
            }
            #expect(history.contains("asked"))
            #expect(
                try await run("ban", "template", "--code", "1", "--message", "en=No.", "--message", "ko=안돼요")
                    .contains("ko=안돼요"))
            let record = try await run(
                "ban", "add", lost, "--permanent", "--template", "1", "--reason", "bot", "--json")
            #expect(record.contains(#""audit":"member.banned""#) && !record.contains("is banned"), "\(record)")
            _ = try await run("ban", "add", lost, "--permanent", "--reason", "again", status: 1)
            _ = try await run("ban", "add", lost, "--reason", "neither", status: 64)
            let banned = try await script("player:carol,device:c,?login:google", server.url, folder).last
            #expect(banned?.error?.code == 7)
            #expect(banned?.account?.standing == "banned")
            #expect(banned?.error?.transactionId?.isEmpty == false)
            #expect(try await run("member", "show", lost).contains("can log in   no, the login ends with 7"))
            #expect(try await run("ban", "list", lost).contains("PERMANENT"))
            let released = try await run("ban", "release", lost, "--reason", "mistake")
            #expect(released.contains("\(lost) is released") && !released.contains("{"), "\(released)")
            #expect(try await run("ban", "list").contains(": mistake"))
            #expect(try await script("player:carol,device:d,login:google", server.url, folder).last?.userId == lost)
            #expect(try await run("member", "show", lost).contains("can log in   yes"))
            _ = try await run(
                "app", "maintenance", "devgame", "--end", "2100-01-01T00:00:00Z", "--message", "en=Later.")
            let shown = try await run("member", "show", lost)
            #expect(shown.contains("because      The app: Maintenance"), "\(shown)")
            #expect(shown.contains("it reads     Later."), "\(shown)")
            #expect(try await run("app", "list").contains(/devgame\s+maintenance/))
            _ = try await run("app", "maintenance", "devgame", "--remove")
            #expect(try await run("app", "list").contains(/devgame\s+in-service/))
            _ = try await run("member", "kick-out", lost, "--message", "en=Bye.")
            let kicked = try await script("device:d,?last", server.url, folder).last
            #expect(kicked?.error?.code == 3102)
            let withdrawn = try await run("member", "withdraw", lost, "AAAAAAAAAAAAAAAA", "--reason", "asked")
            #expect(withdrawn.contains("\(lost) has withdrawn"))
            #expect(withdrawn.contains("AAAAAAAAAAAAAAAA is not there any more"))
            #expect(try await run("member", "show", lost).contains("status       D"))
            #expect(try await run("idp", "list").contains("google\tenabled"))
            _ = try await run("idp", "disable", "google")
            _ = try await run(
                "idp", "set", "google", "--issuer", "https://a.example", "--keys-url", "https://a.example/k", status: 1)
            _ = try await run("jobs", "--state", "dead")
            _ = try await run("jobs", "--state", "unknown", status: 64)
            #expect(try await run("app", "accounts", "devgame", "--withdrawal-grace-days", "3").contains("days  3"))
            #expect(try await run("app", "transfer", "devgame", "--uses", "unlimited").contains("unlimited"))
            #expect(try await run("app", "transfer", "devgame", "--off").contains("off"))
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test("SES-11: an operator lists a member's sessions and ends one; a player's script does the same")
    func sessions() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let steps = try await script(
                "player:erin,login:google,device:b,login:google,device:c,login:google,sessions,end", server.url, folder)
            let user = try #require(steps.last?.userId)
            @Sendable func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == status, "\(arguments): \(result.text)")
                return result.text
            }
            @Sendable func list() async throws -> [String] {
                try await run("member", "sessions", "list", user).split(separator: "\n").map(String.init)
                    .filter { $0.contains("\tgoogle") }
            }
            let listed = try await list()
            #expect(listed.count == 2)
            let session = try String(#require(listed.first).prefix { $0 != "\t" })
            let ended = try await run("member", "sessions", "end", user, session, "--reason", "lost")
            #expect(ended.contains("\(session) has ended"))
            _ = try await run("member", "sessions", "end", user, session, "--reason", "lost", status: 1)
            _ = try await run("member", "sessions", "list", "AAAAAAAAAAAAAAAA", status: 1)
            #expect(try await run("member", "history", user).contains("session.kicked-out"))
            #expect(try await run("audit").contains("session.kicked-out"))
            let kicked = try await script(
                "player:erin,device:c,?last,login:google,end-others,sessions", server.url, folder)
            #expect(kicked.first { $0.step == "last" }?.error?.code == 3102)
            #expect(kicked.last?.ok == true)
            _ = try await run("member", "sessions", "end", user, "--reason", "lost", status: 64)
            let all = try await run("member", "sessions", "end", user, "--all", "--reason", "lost")
            #expect(all.contains("all sessions of \(user) have ended"))
            #expect(try await list().isEmpty)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    private struct Step: Decodable {
        struct Account: Decodable {
            let state: String
            let mappings: [String]
            let lastProvider: String?
            let standing: String?
            let notice: String?
        }

        struct Failure: Decodable {
            let code: Int
            let transactionId: String?
        }

        let step: String
        let ok: Bool
        let userId: String?
        let account: Account?
        let error: Failure?
    }

    private func script(_ steps: String, _ url: String, _ folder: URL) async throws -> [Step] {
        let result = try await Command.run(
            ["play", "--server", url, "--storage", "device.json", "--json", "--script", steps], in: folder)
        let expected: Int32 = steps.contains(",last,") ? 1 : 0
        #expect(result.status == expected, "\(result.text)")
        return try result.lines.map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
    }
}
