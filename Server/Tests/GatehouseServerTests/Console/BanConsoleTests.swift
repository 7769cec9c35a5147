import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The pages of bans, their texts, grace bans and withdrawals.
@Suite struct BanConsoleTests {
    private static let lists = "/console/apps/\(TestServer.app)"

    @Test("The list of bans is filtered by its address: state, reason and name, in letters of any case")
    func filters() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            var users: [String] = []
            for (length, reason) in [("1h", "aimbot ring"), ("1d", "aimbot"), ("1h", "spam")] {
                let user = try await server.guest(TestDevice()).member.userId.rawValue
                users.append(user)
                let ban = try await kim.perform(
                    "member.banned", ["user": user], ["length": length], more: ["reason": reason])
                #expect(ban.result != nil)
            }
            server.clock.advance(seconds: 3_601)
            let lee = try await server.person("lee", .operator)
            let over = try await lee.get("\(Self.lists)/bans?state=over&reason=AIMBOT&by=ki").text
            #expect(over.contains(users[0]) && !over.contains(users[1]) && !over.contains(users[2]))
            #expect(try await lee.get("\(Self.lists)/bans?state=released").text.contains("Nothing matches"))
        }
    }

    @Test("The list of bans is a file of what its filters leave, for support and not for viewers")
    func file() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let sue = try await server.person("sue", .support)
            let none = try await sue.get("\(Self.lists)/bans")
            #expect(!none.html.contains("bans.csv"))
            var users: [String] = []
            for (length, reason) in [("1h", "over"), ("1d", "=1+1 \"spam\"")] {
                let user = try await server.guest(TestDevice()).member.userId.rawValue
                users.append(user)
                let ban = try await kim.perform(
                    "member.banned", ["user": user], ["length": length], more: ["reason": reason])
                #expect(ban.result != nil)
                server.clock.advance(seconds: 1)
            }
            server.clock.advance(seconds: 3_601)
            // The session of before has ended.
            let sam = try await server.person("sam", .support)
            let page = try await sam.get("\(Self.lists)/bans?reason=SPAM")
            let link = try #require(page.links.first { $0.contains("/bans.csv") })
            #expect(link == "\(Self.lists)/bans.csv?reason=SPAM")
            let file = try await sam.get(link)
            #expect(file.answer.headers[.contentType] == "text/csv; charset=utf-8")
            #expect(file.answer.headers[.contentDisposition] == "attachment; filename=\"\(TestServer.app)-bans.csv\"")
            let lines = file.html.split(separator: "\r\n")
            #expect(lines.count == 2 && lines[1].contains(users[1]) && lines[1].contains("\"in-force\""))
            #expect(lines[1].contains("\"'=1+1 \"\"spam\"\"\"") && lines[1].contains("\"kim\""))
            let columns = lines.map { $0.components(separatedBy: "\",\"").count }
            #expect(columns[0] == 15 && columns[1] == 15)
            // As on the page, only the bans in force are there without another choice.
            for (query, found) in [("", [1]), ("?state=over", [0]), ("?state=all", [1, 0]), ("?state=released", [])] {
                let text = try await sam.get("\(Self.lists)/bans.csv\(query)").html
                let rows = text.split(separator: "\r\n").dropFirst()
                #expect(rows.count == found.count && zip(rows, found).allSatisfy { $0.contains(users[$1]) }, "\(query)")
            }
            let viewer = try await server.person("vic", .viewer)
            #expect(try await viewer.get(link).status == 403)
            #expect(try await !viewer.get("\(Self.lists)/bans").html.contains("bans.csv"))
        }
    }

    @Test("Support has no link to the bans of others, whose pages refuse it, and reads its own actions alone")
    func support() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let (kim, lee) = (try await server.person("kim", .support), try await server.person("lee", .support))
            #expect(try await kim.perform("member.banned", ["user": user.rawValue], ["length": "30d"]).result != nil)
            for path in ["\(Self.lists)/bans", "\(Self.lists)/members/\(user)"] {
                #expect(try await kim.get(path).links.contains { $0.contains("/do/ban.released") })
                #expect(try await !lee.get(path).links.contains { $0.contains("/do/ban.") })
            }
            // The page that would ask for a reason is refused already.
            for action in ["ban.released", "ban.changed"] {
                #expect(try await lee.confirmation(of: action, ["user": user.rawValue]).status == 403, "\(action)")
            }
            let viewer = try await server.person("vic", .viewer)
            #expect(try await viewer.get("\(Self.lists)/bans").status == 200)
            #expect(try await viewer.get("\(Self.lists)/audit").status == 403)
            let own = try await lee.get("\(Self.lists)/audit")
            #expect(own.status == 200 && !own.text.contains(user.rawValue))
            let audit = try await server.person("max", .operator).get("\(Self.lists)/audit?by=kim")
            #expect(audit.text.contains(user.rawValue) && audit.text.contains("Normal → Banned"), "\(audit.text)")
        }
    }

    @Test("The audit says what a ban is and what a key may do, and shows no internal id in their place")
    func auditWords() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            try await server.run(AddBanTemplate(code: 7, name: "Cheating", texts: ["en": "You cheated."]))
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let eve = try await server.person("eve", .owner)
            func newest() async throws -> String {
                let page = try await eve.get("\(Self.lists)/audit")
                let row = try #require(page.html.firstMatch(of: /<tr id="d-.*?<\/tr>/.dotMatchesNewlines())?.output)
                return String(row)
            }
            _ = try await eve.perform("member.banned", ["user": user], ["length": "3d", "template": "7"])
            let banned = try await newest()
            #expect(banned.contains(/<ins>Cheating · until 20[0-9-]+ [0-9:]+ UTC<\/ins>/), "\(banned)")
            _ = try await eve.perform("ban.released", ["user": user])
            let released = try await newest()
            #expect(released.contains(/<del>Cheating · until [^<]*<\/del> → <ins>–<\/ins>/), "\(released)")
            _ = try await eve.perform("member.banned", ["user": user], ["length": "for-good"])
            #expect(try await newest().contains("<ins>Permanently</ins>"))
            let ids = try await server.database.read { tx in
                try tx.rows("SELECT ban_id FROM bans") { row in try row[0] as String }
            }
            let audit = try await eve.get("\(Self.lists)/audit").html
            #expect(ids.count == 2 && !ids.contains { audit.contains($0) })

            let page = try await eve.confirmation(
                of: "secret.created", [:],
                ["kind": "named", "name": "EU: live", "scope.check": "on", "scope.moderate": "on"])
            _ = try await eve.submit(page, ["reason": "a new game server"], to: "/do/secret.created")
            let key = try await newest()
            #expect(
                key.contains(/Secret key<\/span> <ins>EU: live: check tokens, ban and kick out · [0-9a-f]{12}<\/ins>/),
                "\(key)")
        }
    }

    @Test("What is wrong is listed in the order of the form, and a grace ban's list has its payments")
    func graceBan() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let kim = try await server.person("kim", .operator)
            let wrong = try await kim.confirmation(
                of: "grace-ban.begun", [:], ["user": "nobody", "days": "0", "amount": "x", "message": ""])
            let listed = wrong.html.matches(of: /href="#f-([a-z.-]+)"/).map { String($0.output.1) }
            #expect(wrong.status == 422 && listed == ["user", "days", "amount", "message"], "\(listed)")
            let begun = try await kim.perform(
                "grace-ban.begun", [:],
                ["user": user.rawValue, "days": "7", "count": "2", "amount": "50000", "message": "Please pay."])
            #expect(begun.result?.contains("The grace ban has begun.") == true, "\(begun.text)")
            #expect(try await kim.get("\(Self.lists)/audit").html.contains("<ins>started</ins>"))
            let paid = try await kim.perform(
                "grace-ban.payment-recorded", ["user": user.rawValue], ["payment": "p-1", "amount": "30,000"])
            #expect(paid.text.contains("1 / 2") && paid.text.contains("30,000 / 50,000 KRW"), "\(paid.text)")
            _ = try await kim.perform(
                "grace-ban.payment-recorded", ["user": user.rawValue], ["payment": "p-2", "amount": "20000"])
            #expect(try await kim.get("\(Self.lists)/grace-bans").text.contains("No grace ban is in effect"))
            #expect(try await kim.get("\(Self.lists)/grace-bans?state=all").text.contains("Released"))
        }
    }

    @Test("Withdrawals are pending until their moment, and then only their ids are left")
    func withdrawals() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let device = TestDevice()
            let player = Player(device: device, login: try await server.guest(device))
            _ = try await server.call(Endpoints.requestWithdrawal, Empty(), by: player)
            let kim = try await server.person("kim", .viewer)
            let pending = try await kim.get("\(Self.lists)/withdrawals")
            #expect(pending.text.contains(player.user.rawValue) && pending.text.contains("No account was deleted yet."))
            #expect(pending.text.contains("7 days"))
            func search(_ user: String) async throws -> String {
                try await kim.get("\(Self.lists)/withdrawals?\(ConsolePage.encoded(["user": user]))").text
            }
            #expect(try await search(player.user.rawValue).contains("Account deletion of \(player.user)"))
            #expect(try await search("nobody").contains("No deletion of this account is pending"))
            _ = try await server.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await search(player.user.rawValue).matches(of: /By the player/).count == 2)
            let done = try await kim.get("\(Self.lists)/withdrawals")
            #expect(done.text.contains("No account deletion is pending.") && done.text.contains("By the player"))
        }
    }
}
