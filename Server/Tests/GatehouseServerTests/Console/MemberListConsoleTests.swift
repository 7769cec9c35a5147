import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Lists of members that are banned and released at once.
@Suite struct MemberListConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    @Test(
        "The result of a list says who was left out, and Undo releases its bans and no others",
        arguments: Engine.ofDoors)
    func undo(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            var users: [String] = []
            for _ in 0..<3 { users.append(try await server.guest(TestDevice()).member.userId.rawValue) }
            _ = try await kim.perform("member.banned", ["user": users[0]], ["length": "1d"])
            let typed = (users + ["AAAAAAAAAAAAAAAA"]).joined(separator: "\n")
            let done = try await kim.perform(
                "members.banned", [:], ["users": typed, "length": "3d"], more: ["typed": "2"])
            #expect(
                done.result == "2 members are banned. 2 left out: 1 unknown, 1 banned already. Undo", "\(done.text)")
            let form = try await kim.ordinaryUndo(of: done)
            #expect(try form.form("/check").fields["users"] == [users[1], users[2]].sorted().joined(separator: "\n"))
            _ = try await kim.perform("ban.released", ["user": users[1]])
            let page = try await kim.submit(form, to: "/do/members.released/check")
            let released = try await kim.follow(
                kim.submit(page, ["reason": "a wrong list"], to: "/do/members.released"))
            #expect(released.result?.hasPrefix("1 ban is released. 1 left out:") == true, "\(released.text)")
        }
    }

    @Test("The audit folds what a list has changed")
    func folded() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            var users: [String] = []
            for _ in 0..<12 { users.append(try await server.guest(TestDevice()).member.userId.rawValue) }
            let list = ["users": users.joined(separator: "\n"), "length": "3d"]
            #expect(try await kim.perform("members.banned", [:], list, more: ["typed": "12"]).result != nil)
            let audit = try await kim.get("\(Self.app)/audit")
            #expect(audit.html.contains("<summary>12 members · Normal → Banned</summary>"), "\(audit.text)")
            #expect(audit.text.contains("And 4 more. The CSV has all."))
        }
    }

    @Test("Another language on a confirmation keeps what was chosen", arguments: Engine.ofDoors)
    func language(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let page = try await kim.confirmation(of: "member.banned", ["user": user], ["length": "7d"])
            let fields = try #require(page.forms.first { $0.action.hasSuffix("/me/language") }).fields
            let korean = try await kim.post("/console/me/language", fields.merging(["to": "ko"]) { $1 })
            #expect(korean.status == 200 && korean.html.contains("<html lang=\"ko\""), "\(korean.text)")
            #expect(try korean.form("/do/member.banned").fields["length"] == "7d")
            _ = try await kim.submit(korean, ["reason": "aimbot"], to: "/do/member.banned")
            let bans = try await server.count("SELECT COUNT(*) FROM bans")
            #expect(bans == 1)
            // A form with a problem comes back with what was typed, too.
            let wrong = try await kim.confirmation(of: "members.banned", [:], ["users": "", "length": "30d"])
            let again = try #require(wrong.forms.first { $0.action.hasSuffix("/me/language") }).fields
            let english = try await kim.post("/console/me/language", again.merging(["to": "en"]) { $1 })
            #expect(try english.form("/do/members.banned/check").fields["length"] == "30d")
        }
    }

    @Test("The address of a confirmation leads back to its form")
    func address() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let page = try await kim.confirmation(of: "member.banned", ["user": user], ["length": "7d"])
            let form = try await kim.get("\(Self.app)/do/member.banned?user=\(user)").form("/check")
            #expect(form.action == "\(Self.app)/do/member.banned/check?user=\(user)")
            let back = try await kim.follow(kim.get(form.action))
            #expect(back.status == 200 && (try? back.form("/do/member.banned/check")) != nil)
            #expect(try page.form("/do/member.banned").action == "\(Self.app)/do/member.banned?user=\(user)")
            #expect(page.html.contains("data-replace"))
        }
    }

    @Test("A whole secret key finds its row, by a form and an address without the key", arguments: Engine.ofDoors)
    func secret(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let (eve, kim) = (try await server.person("eve", .owner), try await server.person("kim", .operator))
            let page = try await eve.confirmation(of: "secret.created", [:], ["kind": "own"])
            let shown = try await eve.submit(page, ["reason": "a new game server"], to: "/do/secret.created")
            let key = String(try #require(shown.html.firstMatch(of: /gsk_[A-Za-z0-9_-]{43}/)).output)
            let hint = "\(key.prefix(8))…\(key.suffix(4))"
            func find(_ text: String, as person: ConsoleBrowser) async throws -> ConsolePage {
                try await person.submit(person.get(Self.app), ["q": text], to: "/find")
            }
            let found = try await find(" key \(key) ", as: eve)
            let address = try #require(found.answer.headers[.location])
            #expect(found.status == 303 && !address.contains(key.suffix(20)))
            let list = try await eve.get(address)
            #expect(list.result?.contains(hint) == true && !list.html.contains(key))
            let none = [try await find(key, as: kim), try await find("gsk_unknown", as: eve)]
            #expect(none[0].text.contains("An owner can find out"), "\(none[0].text)")
            #expect(none[1].text.contains("not a valid secret key"), "\(none[1].text)")
            // In an address it is looked for by nobody, and no page repeats it.
            let typed = try await eve.get("/console/find?q=\(key)")
            #expect(typed.status == 200 && typed.text.contains("Do not put a secret key into an address"))
            for page in none + [typed, try await eve.get("/console/find?part=1&q=x%20\(key)")] {
                #expect(!page.html.contains(key.suffix(20)))
            }
            // The sign-in that somebody is shown instead repeats it nowhere, either.
            let late = try await eve.get(Self.app)
            eve.token = nil
            #expect(try await !eve.submit(late, ["q": key], to: "/find").html.contains(key.suffix(20)))
        }
    }
}
