import GatehouseCore
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// The header and the navigation around every page.
@Suite struct FrameConsoleTests {
    private static let home = "/console/apps/\(TestServer.app)"

    /// The part of a page with an id that is the whole of its element's name.
    private static func side(_ page: ConsolePage) throws -> Substring {
        try #require(page.html.firstMatch(of: /<nav class="side".*?<\/nav>/.dotMatchesNewlines())).output
    }

    @Test("A page of no app keeps the navigation of the app from which the person has come, and of no other")
    func kept() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", grants: ["*": "owner"])
            let members = "href=\"\(Self.home)/members\""
            let page = try await kim.get(Self.home)
            for path in ["jobs", "health", "operators", "audit"] {
                let link = "/console/\(path)?in=\(TestServer.app)"
                #expect(page.links.contains(link), "\(path)")
                #expect(try Self.side(try await kim.get(link)).contains(members), "\(path)")
                #expect(!(try Self.side(try await kim.get("/console/\(path)")).contains(members)), "\(path)")
            }
            let referrer = ["Referer": "\(TestServer.origin)\(Self.home)/bans?state=all"]
            #expect(try Self.side(try await kim.get("/console/me", headers: referrer)).contains(members))
            // The page of all apps is about none.
            #expect(!(try Self.side(try await kim.get("/console", headers: referrer)).contains(members)))
            for unknown in ["none", "%00", "a%20b", ""] {
                #expect(!(try Self.side(try await kim.get("/console/jobs?in=\(unknown)")).contains(members)))
            }
            // A filter keeps it.
            #expect(
                try await kim.get("/console/jobs?in=\(TestServer.app)").form("/jobs").fields["in"]
                    == "\(TestServer.app)")
        }
    }

    @Test("CON-8: neither the menu of apps nor the navigation names an app in which the person has no role")
    func ownApps() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let apps = try await server.run(ListApps()).map(\.id)
            let other = try #require(apps.first { $0 != TestServer.app })
            let kim = try await server.person("kim", grants: ["*": "viewer"])
            // The same kind of page in the other app, as far as there is one.
            for (path, target) in [("members", "/members"), ("members?status=B", "/members"), ("nowhere", "")] {
                let links = try await kim.get("\(Self.home)/\(path)").links
                #expect(links.contains("/console/apps/\(other)\(target)"), "\(path)")
            }
            let lee = try await server.person("lee", .owner)
            for path in [Self.home, "/console/me", "/console/me?in=\(other)", "/console/nowhere", "/console"] {
                let links = try await lee.get(path, headers: ["Referer": "\(TestServer.origin)/console/apps/\(other)"])
                    .links
                #expect(!links.contains { $0.hasPrefix("/console/apps/\(other)") }, "\(path)")
            }
        }
    }

    @Test("The navigation counts bans and withdrawals, and a change is counted on the next page")
    func counts() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId.rawValue
            let kim = try await server.person("kim", .operator)
            let bans = #/<a href="[^"]*/bans"[^>]*>Bans(?: <span class="count">([^<]*)</span>)?</a>/#
            func count() async throws -> String? {
                let page = try await kim.get("\(Self.home)/members")
                return try #require(page.html.firstMatch(of: bans)).output.1.map { String($0) }
            }
            #expect(try await count() == nil)
            _ = try await kim.perform("member.banned", ["user": user], ["length": "3d"])
            #expect(try await count() == "1")
            _ = try await kim.perform("ban.released", ["user": user])
            #expect(try await count() == nil)
        }
    }

    @Test("An error has the frame for a person whose session lives, and for nobody else")
    func errors() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            for (path, status) in [("\(Self.home)/nowhere", 404), ("\(Self.home)/audit", 403)] {
                let page = try await kim.get(path)
                #expect(page.status == status)
                #expect(try Self.side(page).contains("\(Self.home)/members"), "\(path)")
                #expect((try? page.form("/find")) != nil && (try? page.form("/sign-out")) != nil, "\(path)")
            }
            let former = ConsoleBrowser(server: server, person: "kim", cookie: kim.token)
            _ = try await kim.submit(kim.get("/console/nowhere"), to: "/sign-out")
            for browser in [former, server.stranger] {
                let page = try await browser.get("/console/nowhere")
                #expect(page.status == 404 && page.forms.isEmpty && !page.html.contains(Self.home))
            }
        }
    }
}
