import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Pages that stay up to date while somebody looks at them.
@Suite struct LiveConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    private static func live(_ path: String) -> String { "\(path)\(path.contains("?") ? "&" : "?")live=1&renewed=1" }

    @Test("A live page answers its script without the frame, and with 304 as long as nothing changes")
    func changes() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", grants: ["*": "owner"])
            let user = try await server.guest(TestDevice()).member.userId
            for path in [Self.app, "\(Self.app)/refusals", "\(Self.app)/members/\(user)", "/console/jobs"] {
                #expect(try await kim.get(path).html.contains("class=\"live-new\""), "\(path)")
                let answer = try await kim.get(Self.live(path))
                let tag = try #require(answer.answer.headers[.eTag])
                #expect(answer.status == 200 && !answer.html.contains("<header") && answer.html.contains("live-new"))
                let same = try await kim.get(Self.live(path), headers: ["If-None-Match": tag])
                #expect(same.status == 304 && same.html.isEmpty, "\(path)")
                // A browser would take an answer without a type for broken XML.
                #expect(same.answer.headers[.contentType] == "text/html; charset=utf-8")
                let other = try await kim.get(Self.live(path), headers: ["If-None-Match": "\"other\""])
                #expect(other.status == 200)
            }
            let page = "\(Self.app)/members/\(user)"
            let tag = try #require(try await kim.get(Self.live(page)).answer.headers[.eTag])
            _ = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "3d"])
            #expect(try await kim.get(Self.live(page), headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test("The script reads what its person may read, and keeps no session alive")
    func roles() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let other = AppID("other-game")
            let tom = try await server.person("tom", .support, in: other)
            for path in ["\(Self.app)/members/\(user)", Self.app, "\(Self.app)/refusals"] {
                #expect(try await tom.get(Self.live(path)).status == 404, "\(path)")
            }
            #expect(try await tom.get(Self.live("/console/jobs")).status == 403)
            let stranger = try await server.stranger.get(Self.live("\(Self.app)/members/\(user)"))
            #expect(!stranger.html.contains("live-new") && !stranger.html.contains(user.rawValue + "<"))
            let kim = try await server.person("kim", .viewer)
            for _ in 0..<3 {
                server.clock.advance(seconds: 14 * 60)
                _ = try await kim.get(Self.live(Self.app))
            }
            #expect(!(try await kim.get(Self.live(Self.app))).html.contains("live-new"))
        }
    }

    @Test("Two people at one player's page know of each other, for a minute, and of nobody at another's")
    func presence() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let users = [
                try await server.guest(TestDevice()).member.userId, try await server.guest(TestDevice()).member.userId,
            ]
            let kim = try await server.person("kim", .support)
            let tom = try await server.person("tom", .support)
            let page = "\(Self.app)/members/\(users[0])"
            #expect(try await !tom.get(page).text.contains("is here, too"))
            #expect(try await kim.get(page).text.contains("tom is here, too."))
            #expect(try await tom.get(Self.live(page)).text.contains("kim is here, too."))
            #expect(try await !kim.get("\(Self.app)/members/\(users[1])").text.contains("is here, too"))
            server.clock.advance(seconds: 61)
            #expect(try await !kim.get(page).text.contains("is here, too"))
        }
    }

    @Test("Ten minutes before a maintenance its banner leads to it, for who may change it")
    func maintenance() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let ann = try await server.person("ann", .viewer)
            let now = server.clock.now
            try await server.run(
                PlanMaintenance(
                    begin: now.adding(seconds: 1_200), end: now.adding(seconds: 4_800), message: [:], url: nil))
            func change(_ person: ConsoleBrowser) async throws -> Bool {
                let page = try await person.get("\(Self.app)/members")
                #expect(page.text.contains("Maintenance begins"))
                return page.links.contains("\(Self.app)/do/maintenance.changed")
            }
            #expect(try await !change(kim))
            server.clock.advance(seconds: 601)
            #expect(try await change(kim))
            #expect(try await !change(ann))
        }
    }
}
