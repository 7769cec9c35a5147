import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The page of a shift, mentions and tickets in notes, and replies to copy.
@Suite struct HandOverConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    private static func note(_ text: String, on user: UserID, by person: ConsoleBrowser) async throws {
        let page = try await person.get("\(app)/members/\(user)")
        _ = try await person.submit(page, ["text": text], to: "/do/member.noted")
    }

    @Test("A shift shows changes, notes and mentions, to support of its own app", arguments: Engine.ofDoors)
    func page(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            let lee = try await server.person("lee", .support)
            let user = try await server.guest(TestDevice()).member.userId
            _ = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "3d"])
            try await Self.note("@lee see #41 <b>", on: user, by: kim)
            let page = try await lee.get("\(Self.app)/hand-over")
            #expect(page.status == 200 && page.text.contains("a reason of the tests") && page.text.contains("kim"))
            #expect(page.text.contains("Notes that mention you") && page.html.contains("<mark>@lee</mark>"))
            #expect(page.text.contains("see what concerns members") && !page.html.contains("<b>"))
            #expect(page.text.contains("Nothing ends today."))
            // The author is not mentioned, and yesterday there was nothing.
            let own = try await kim.get("\(Self.app)/hand-over?range=today")
            #expect(!own.text.contains("Notes that mention you") && own.text.contains("see #41"))
            let before = try await kim.get("\(Self.app)/hand-over?range=yesterday")
            #expect(before.text.contains("Nothing was done in this time.") && !before.text.contains("see #41"))
            #expect(try await kim.get(Self.app).links.contains("\(Self.app)/hand-over"))
            let viewer = try await server.person("vi", .viewer)
            #expect(try await viewer.get("\(Self.app)/hand-over").status == 403)
            #expect(try await !viewer.get(Self.app).links.contains("\(Self.app)/hand-over"))
            let other = try await server.person("ann", .support, in: TestServer.otherApp)
            #expect(try await other.get("\(Self.app)/hand-over").status == 404)
        }
    }

    @Test("What ends today is listed: a pending deletion with its member")
    func due() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let user = try await server.guest(TestDevice()).member.userId
            let end = server.clock.now.milliseconds / 86_400_000 * 86_400_000 + 86_399_000
            try await server.database.transact { tx in
                try tx.execute("UPDATE members SET withdraws_at = \(end), due_at = \(end) WHERE user_id = \(user)")
            }
            let page = try await kim.get("\(Self.app)/hand-over")
            #expect(page.text.contains("The account will be deleted:") && page.text.contains(user.rawValue))
        }
    }

    @Test("A ticket is a link if the app says where tickets are")
    func tickets() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let user = try await server.guest(TestDevice()).member.userId
            try await Self.note("see #41, @nobody", on: user, by: kim)
            let plain = try await kim.get("\(Self.app)/members/\(user)")
            #expect(plain.text.contains("see #41") && !plain.html.contains("<mark>"))
            let done = try await kim.perform(
                "accounts.set", [:], ["ticketURL": #"https://desk.example/"x"/{ticket}"#])
            #expect(done.result != nil, "\(done.text)")
            server.clock.advance(seconds: 2)
            let page = try await kim.get("\(Self.app)/members/\(user)")
            #expect(page.html.contains(#"<a href="https://desk.example/&quot;x&quot;/41" rel="noreferrer">#41</a>"#))
        }
    }

    @Test("Replies stand on a member's page with the end of the ban filled in, for support")
    func replies() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let lee = try await server.person("lee", .support)
            let user = try await server.guest(TestDevice()).member.userId
            let texts = ["title": "Ban", "text.en": "<b> {user} until {end} {x}", "text.ko": "종료 {end}"]
            let done = try await kim.perform("reply.added", [:], texts)
            #expect(done.result?.hasPrefix("The reply is there.") == true, "\(done.text)")
            let page = "\(Self.app)/members/\(user)"
            #expect(try await lee.get(page).text.contains("\(user) until – {x}"))
            _ = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "3d"])
            let banned = try await lee.get(page)
            #expect(banned.html.contains("&lt;b&gt; \(user) until 20") && !banned.html.contains("<b>"))
            let viewer = try await server.person("vi", .viewer)
            #expect(try await !viewer.get(page).html.contains(#"id="replies""#))
            let list = try await lee.get("\(Self.app)/replies")
            #expect(list.text.contains("Ban") && !list.links.contains { $0.contains("/do/reply.") })
            #expect(try await kim.get("\(Self.app)/replies").links.contains("\(Self.app)/do/reply.removed?reply=1"))
        }
    }
}
