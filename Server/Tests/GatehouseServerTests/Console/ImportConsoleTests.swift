import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The pages of imports, and what the console says of players whom they have brought.
@Suite struct ImportConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"
    private static let list = "\(app)/imports"

    @Test("An import that goes on says how far it is, how fast, and what has not come in", arguments: Engine.ofDoors)
    func goesOn(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .support)
            try await server.insert(TestServer.importRunGoingOn("run-2", at: server.clock.now))
            try await server.insert(TestServer.importRun("run-1", at: server.clock.now) { $0.created = 1 })
            server.clock.advance(seconds: 10)
            let list = try await kim.get(Self.list)
            for text in ["In progress", "10,000 of 50,000 records", "1,000 records per second", "40 seconds", "Done"] {
                #expect(list.text.contains(text), "\(text): \(list.text)")
            }
            #expect(list.links.contains("\(Self.list)/run-2") && list.links.contains("\(Self.list)/run-1"))
            let page = try await kim.get("\(Self.list)/run-2")
            for text in [
                "Import from firebase", "10,000 of 50,000 records", "1,000 records per second", "40 seconds", "9,990",
                "heldByTwo", "Its identities belong to two members here.", "badDate", "A date is before 1970",
                "leftOut", "A second identity of one provider.", "fromTheFuture", "Google", "8,000",
                "/home/kim/import-runs/run-2", "conflicts.jsonl", "not stored here",
            ] { #expect(page.text.contains(text), "\(text): \(page.text)") }
            // Nothing here changes anything, and what goes on is not to be resumed.
            #expect(page.forms.allSatisfy { !$0.action.contains("/do/") } && !page.text.contains("import resume"))
        }
    }

    @Test("While an import goes on, its pages renew themselves until it has ended")
    func live() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            try await server.insert(TestServer.importRunGoingOn("run-2", at: server.clock.now))
            server.clock.advance(seconds: 10)
            for path in [Self.list, "\(Self.list)/run-2"] {
                #expect(try await kim.get(path).html.contains("class=\"live-new\""), "\(path)")
                let answer = try await kim.get("\(path)?live=1&renewed=1")
                let tag = try #require(answer.answer.headers[.eTag])
                #expect(!answer.html.contains("<header") && answer.html.contains("data-live"))
                #expect(try await kim.get("\(path)?live=1&renewed=1", headers: ["If-None-Match": tag]).status == 304)
            }
            server.clock.advance(seconds: 31)
            for path in [Self.list, "\(Self.list)/run-2"] {
                #expect(try await !kim.get(path).html.contains("class=\"live-new\""), "\(path)")
                // An open page gets the last state, too.
                let last = try await kim.get("\(path)?live=1&renewed=1")
                #expect(last.html.contains("Interrupted") && !last.html.contains("<header"))
            }
            let cut = try await kim.get("\(Self.list)/run-2")
            #expect(cut.text.contains("gatehouse import resume --app game run-2"))
            #expect(!cut.text.contains("records per second"))
        }
    }

    @Test("Imports are for support of their own app, and in the navigation where there is one")
    func permission() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            #expect(try await !kim.get(Self.app).links.contains(Self.list))
            #expect(try await kim.get(Self.list).text.contains("No player was imported yet."))
            #expect(try await kim.get("/console/find?app=game&part=1&q=Imports").links.contains(Self.list))
            try await server.insert(TestServer.importRun("run-1", at: server.clock.now))
            server.clock.advance(seconds: 6)
            #expect(try await kim.get(Self.app).links.contains(Self.list))
            let viewer = try await server.person("vi", .viewer)
            #expect(try await !viewer.get(Self.app).links.contains(Self.list))
            let other = try await server.person("ann", .owner, in: TestServer.otherApp)
            #expect(
                try await !other.get("/console/apps/\(TestServer.otherApp)").links.contains { $0.hasSuffix("/imports") }
            )
            for path in [Self.list, "\(Self.list)/run-1"] {
                #expect(try await kim.get(path).status == 200)
                #expect(try await viewer.get(path).status == 403)
                #expect(try await other.get(path).status == 404)
            }
            for path in [
                "\(Self.list)/run-9", "\(Self.list)/%00", "/console/apps/\(TestServer.otherApp)/imports/run-1",
            ] {
                #expect(try await kim.get(path).status == 404, "\(path)")
            }
        }
    }

    @Test("A list of many imports has pages")
    func pages() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            for number in 10..<40 {
                try await server.insert(TestServer.importRun("run-\(number)", at: server.clock.now))
            }
            let first = try await kim.get(Self.list)
            #expect(first.links.contains("\(Self.list)/run-39") && !first.links.contains("\(Self.list)/run-14"))
            let second = try await kim.get(try #require(first.older))
            #expect(second.links.filter { $0.hasPrefix("\(Self.list)/run-") }.count == 5 && second.older == nil)
        }
    }

    @Test(
        "A member's page says who the player was, by which import, and whether a device has come",
        arguments: Engine.ofDoors)
    func member(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .support)
            let viewer = try await server.person("vi", .viewer)
            let users = [
                try await server.guest(TestDevice()).member.userId, try await server.guest(TestDevice()).member.userId,
                try await server.guest(TestDevice()).member.userId,
            ]
            try await server.insert(TestServer.importRun("run-1", at: server.clock.now))
            try await server.bring(users[0], as: "YpE2<b>Guest1", by: "run-1")
            try await server.bring(users[1], as: "YpE2Guest2", by: nil, claimedAt: server.clock.now)
            server.clock.advance(seconds: 600)
            func page(_ number: Int, as person: ConsoleBrowser) async throws -> ConsolePage {
                try await person.get("\(Self.app)/members/\(users[number])")
            }
            let first = try await page(0, as: kim)
            for text in ["In other systems", "firebase", "YpE2<b>Guest1", "Imported 10 minutes ago", "Not claimed"] {
                #expect(first.text.contains(text), "\(text): \(first.text)")
            }
            #expect(first.links.contains("\(Self.list)/run-1") && !first.html.contains("<b>"))
            let second = try await page(1, as: kim)
            #expect(
                second.text.contains("Came without an import")
                    && second.text.contains("Claimed by a device 10 minutes ago"))
            #expect(!second.links.contains { $0.contains("/imports/") })
            #expect(try await !page(2, as: kim).html.contains(#"id="legacy""#))
            // Who may not see a player's subjects does not see the old id, either.
            let masked = try await page(0, as: viewer)
            #expect(masked.text.contains("YpE2…") && !masked.text.contains("Guest1"))
            #expect(!masked.links.contains { $0.contains("/imports/") })
            #expect(try await !kim.get("\(Self.app)/members/\(users[0])/text").html.contains("Guest1"))
        }
    }

    @Test("The box that finds leads to a member by the exact old id, in the apps of its reader alone")
    func find() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let user = try await server.guest(TestDevice()).member.userId
            try await server.bring(user, as: "YpE2Guest1", by: "run-1")
            func place(_ text: String, as person: ConsoleBrowser) async throws -> String? {
                let sent = try await person.submit(person.get("/console/me"), ["q": text], to: "/find")
                return try await person.follow(sent).answer.headers[.location]
            }
            #expect(try await place("YpE2Guest1", as: kim) == "\(Self.app)/members/\(user)")
            let part = try await kim.get("/console/find?\(ConsolePage.encoded(["q": "YpE2Guest1", "part": "1"]))")
            #expect(part.text.contains("ID in firebase"), "\(part.text)")
            #expect(try await place("YpE2Guest", as: kim) == nil)
            #expect(try await place("YpE2Guest1", as: server.person("ann", .owner, in: TestServer.otherApp)) == nil)
        }
    }
}
