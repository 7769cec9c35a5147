import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The box of every page, and what it finds in all apps that somebody may see.
@Suite struct FindConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    /// What the palette gets.
    private static func part(_ text: String, app: AppID? = TestServer.app) -> String {
        let app = app.map { ["app": $0.rawValue] } ?? [:]
        return "/console/find?\(ConsolePage.encoded(app.merging(["q": text, "part": "1"]) { $1 }))"
    }

    @Test("Players, codes, apps, pages, settings and the manual are found by what is typed", arguments: Engine.ofDoors)
    func kinds(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let alice = try await server.logIn(.google, "alice")
            let member = "\(Self.app)/members/\(alice.user)"
            let found: [(text: String, link: String)] = [
                (alice.user.rawValue, member), (String(alice.user.rawValue.prefix(9)).lowercased(), member),
                ("3302", "\(Self.app)/refusals?code=3302"), ("identity belongs", "\(Self.app)/refusals?code=3302"),
                ("BANNED_MEMBER", "\(Self.app)/refusals?code=7"), ("3302", "/console/help/error-codes#c-3302"),
                (TestServer.app.rawValue, Self.app), ("service st", "\(Self.app)/launching"),
                ("refused", "\(Self.app)/refusals"),
                ("grace period", "\(Self.app)/do/accounts.set#f-graceDays"), ("grace bans", "/console/help/grace-bans"),
                ("plan maint", "\(Self.app)/do/maintenance.planned"),
            ]
            for (text, link) in found {
                let page = try await kim.get(Self.part(text))
                #expect(page.status == 200 && page.links.contains(link), "\(text): \(page.links)")
                #expect(!page.html.contains("<header"), "\(text)")
            }
            let row = try await kim.get(Self.part(alice.user.rawValue)).text
            #expect(row.contains("Normal") && row.contains("Google"), "\(row)")
            // On a page of no app as well, and with Enter at once where only one thing is meant.
            let home = try await kim.get("/console")
            let sent = try await kim.submit(home, ["q": alice.user.rawValue], to: "/find")
            #expect(try await kim.follow(sent).answer.headers[.location] == member)
            #expect(try await kim.get("/console/find").text.contains("Type a User ID"))
        }
    }

    @Test("Words of a change fill in its form, for those who may make it")
    func changes() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            func links(_ text: String, as person: ConsoleBrowser? = nil) async throws -> [String] {
                try await (person ?? kim).get(Self.part(text)).links
            }
            #expect(
                try await links("ban \(user) 3 days").first == "\(Self.app)/do/member.banned?length=3d&user=\(user)")
            #expect(try await links("\(user) 7d ban").contains { $0.contains("length=7d") })
            #expect(try await links("kick out \(user)").first == "\(Self.app)/do/member.kicked-out?user=\(user)")
            #expect(try await links("issue transfer \(user)").first?.contains("/do/transfer.reissued?") == true)
            #expect(try await links("add note \(user) lost phone").first?.contains("text=lost%20phone") == true)
            // The form takes it as it stands.
            let form = try await kim.get("\(Self.app)/do/member.banned?length=7d&user=\(user)").form("/check")
            #expect(form.fields["length"] == "7d")
            // Support deletes no account, and a viewer changes nothing.
            #expect(try await !links("delete account \(user)").contains { $0.contains("/do/") })
            let lee = try await server.person("lee", .viewer)
            for text in ["ban \(user) 3 days", "plan maintenance", "secret key"] {
                #expect(
                    try await !links(text, as: lee).contains { $0.contains("/do/") || $0.hasSuffix("/secrets") },
                    "\(text)")
            }
        }
    }

    @Test("A list of members, a version and a colleague with a day lead to the form or the list at once")
    func commands() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (kim, eve) = (try await server.person("kim", .support), try await server.person("eve", .owner))
            var users: [String] = []
            for _ in 0..<3 { users.append(try await server.guest(TestDevice()).member.userId.rawValue) }
            func place(_ text: String, as person: ConsoleBrowser) async throws -> String? {
                let sent = try await person.submit(person.get("/console/me"), ["q": text], to: "/find")
                return try await person.follow(sent).answer.headers[.location]
            }
            let ban = try #require(try await place("ban \(users.joined()) 7 days bots in town", as: eve))
            let form = try await eve.get(ban).form("/do/members.banned")
            #expect(form.fields["users"]?.split(separator: "\n").map(String.init) == users)
            #expect(form.fields["length"] == "7d" && form.fields["reason"] == "bots in town")
            // What will happen is shown at once, so that it can be confirmed.
            #expect(form.fields["shown"] != nil && form.fields["typed"] != nil)
            // Without a verb, what can be done with the list is offered.
            let offered = try await eve.get(Self.part(users.joined(separator: " "))).links
            #expect(
                ["members.banned", "members.released"].allSatisfy { name in offered.contains { $0.contains(name) } })
            let other = try await server.person("lee", .owner, in: TestServer.otherApp)
            #expect(try await other.get(Self.part("ban \(users.joined())")).links.isEmpty)
            #expect(try await eve.get(Self.part("ban 1111AAAA3333BBBB1111AAAA4444CCCC")).links.isEmpty)
            // A release is offered for nobody who is not banned.
            let one = try await kim.get(Self.part("ban \(users[0])")).links
            #expect(
                one.first?.contains("member.banned") == true && !one.contains { $0.contains("ban.released") }, "\(one)")
            _ = try await kim.perform("member.banned", ["user": users[0]], ["length": "1d"])
            #expect(try await kim.get(Self.part("release \(users[0])")).links.contains { $0.contains("ban.released") })

            let rule = "\(Self.app)/do/client-rule.added"
            #expect(try await place("force update below 2.0", as: eve) == "\(rule)?below=2.0")
            #expect(try await place("update required below 2.0", as: eve) == "\(rule)?below=2.0&status=300")
            #expect(try await eve.get("\(rule)?below=2.0").form("/do/client-rule.added").fields["below"] == "2.0")

            let audit = "/audit?by=kim&range="
            #expect(try await place("kim yesterday", as: eve) == "\(Self.app)\(audit)yesterday")
            let developer = try await server.developer()
            #expect(try await place("Today kim", as: developer) == "/console\(audit)today")
            #expect(
                try await developer.get(Self.part("create app", app: nil)).links.contains("/console/do/app.created"))
            #expect(try await !kim.get(Self.part("eve")).links.contains { $0.contains("/audit") })
        }
    }

    @Test("Nothing of an app without a grant is found, and what somebody has changed lately is offered")
    func grants() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let (kim, lee) = (
                try await server.person("kim", .support),
                try await server.person("lee", .owner, in: TestServer.otherApp)
            )
            for text in [
                user, String(user.prefix(8)), "ban \(user)", TestServer.app.rawValue + " ", "3302", "members", "",
            ] {
                for app in [TestServer.app, TestServer.otherApp, nil] {
                    let page = try await lee.get(Self.part(text, app: app))
                    #expect(
                        page.status == 200 && !page.links.contains { $0.hasPrefix("\(Self.app)/") || $0 == Self.app })
                    #expect(text == user || !page.html.contains(user), "\(text)")
                }
            }
            #expect(try await kim.get(Self.part("")).links.isEmpty)
            _ = try await kim.perform("member.banned", ["user": user], ["length": "1d"])
            let recent = try await kim.get(Self.part("", app: nil))
            #expect(recent.links == ["\(Self.app)/members/\(user)"] && recent.text.contains("Banned"), "\(recent.text)")
            #expect(try await lee.get(Self.part("", app: nil)).links.isEmpty)
        }
    }

    @Test("What is hostile finds nothing, and is text")
    func hostile() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.developer()
            for text in [
                "\"><script>alert(1)</script>", "%", "%25_", "ban %", String(repeating: "x ", count: 900),
                "\u{0}\u{202e}",
                "'", "ban 1MSL " + String(repeating: "9", count: 300), String(repeating: "\u{301}", count: 400),
            ] {
                for path in [Self.part(text), "/console/find?\(ConsolePage.encoded(["q": text]))"] {
                    let page = try await kim.get(path)
                    #expect(page.status == 200 && !page.html.contains("<script>alert"), "\(text.prefix(20))")
                    #expect(page.html.utf8.count < 25 * 1_024)
                }
            }
            // The form of another page is not taken.
            #expect(try await kim.post("/console/find", ["q": "x"]).status == 403)
        }
    }
}
