import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// From an alert to the players whose calls were refused.
@Suite struct RefusalConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    @Test(
        "Refused calls are counted by what they have in common, and filtered by their address",
        arguments: Engine.ofDoors)
    func groups(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .support)
            var users: [UserID] = []
            for name in ["alice", "bob"] {
                let user = try await server.logIn(.google, name).user
                users.append(user)
                _ = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "1d"])
            }
            for name in ["alice", "alice", "bob"] {
                let refused = try await server.call(
                    Endpoints.logIn, try server.credential(.google, name), by: TestDevice())
                #expect(refused.code == 7)
            }
            _ = try await server.call(
                Endpoints.logIn, Credential(provider: .google, idToken: "a.b.c"), by: TestDevice())
            let groups = try await kim.get("\(Self.app)/refusals?group=code&range=2h")
            #expect(groups.text.contains("7 · Banned 3 calls 2 players"), "\(groups.text)")
            let calls = "\(Self.app)/refusals?code=7&range=2h"
            let members = "\(Self.app)/refusals?code=7&group=member&range=2h"
            #expect(groups.links.contains(calls) && groups.links.contains(members))
            let list = try await kim.get(calls)
            // The number stands before what a narrow column cuts.
            #expect(list.html.contains("<bdi>7 · Banned</bdi>"), "\(list.html)")
            #expect(list.links.filter { $0.contains("/refusals/") }.count == 3, "\(list.text)")
            #expect(list.links.contains("\(Self.app)/refusals?range=2h"), "the filter can't be removed")
            let players = try await kim.get(members)
            #expect(players.links.filter { link in users.contains { link == "\(Self.app)/members/\($0)" } }.count == 2)
            func count(_ filter: String) async throws -> Int {
                try await kim.get("\(Self.app)/refusals?\(filter)").links.filter { $0.contains("/refusals/") }.count
            }
            let counts = [
                "idp=google": 4, "idp=line": 0, "user=\(users[1])": 1, "range=yesterday": 0, "range=today": 4,
                "call=login": 4, "call=heartbeat": 0, "os=VISIONOS": 0, "version=99": 0, "since=2026-11-20T00:00": 4,
                "until=2026-11-20T00:00": 0,
            ]
            for (filter, expected) in counts { #expect(try await count(filter) == expected, "\(filter)") }
            let none = try await kim.get("\(Self.app)/refusals?code=3302")
            #expect(none.text.contains("Nothing matches"))
            // It is in the navigation, and the overview's verdict leads there.
            let overview = try await kim.get(Self.app)
            #expect(overview.links.contains("\(Self.app)/refusals"))
        }
    }

    @Test("A refusal names what it is about: the holder of an identity, a ban, a provider")
    func subjects() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (kim, lee) = (try await server.person("kim", .support), try await server.person("lee", .viewer))
            func newest(_ code: Int, as person: ConsoleBrowser) async throws -> ConsolePage {
                let list = try await person.get("\(Self.app)/refusals?code=\(code)")
                return try await person.get(try #require(list.links.first { $0.contains("/refusals/") }))
            }
            let holder = try await server.logIn(.google, "alice")
            let guest = try await server.guestPlayer()
            _ = try await server.ticket(.google, "alice", for: guest)
            let conflict = try await newest(3302, as: kim)
            let compare = "\(Self.app)/members/\(holder.user)/compare?with=\(guest.user)"
            #expect(conflict.links.contains("\(Self.app)/members/\(holder.user)") && conflict.links.contains(compare))
            #expect(!conflict.links.contains { $0.contains("/do/member.restored") })
            // After the identity has moved, the next conflict names its former holder as well, who can be restored.
            let ticket = try await server.ticket(.google, "alice", for: guest)
            #expect(try await server.call(Endpoints.forceMapping, TicketUse(ticket), by: guest).status == 200)
            let other = try await server.guestPlayer()
            _ = try await server.ticket(.google, "alice", for: other)
            let again = try await newest(3302, as: kim)
            #expect(again.links.contains("\(Self.app)/do/member.restored?user=\(holder.user)"), "\(again.text)")
            #expect(again.text.contains("Had this identity of Google until"))
            // What mends it stands in the row, and not in its menu.
            #expect(
                again.html.contains(/<td class="actions"><a [^>]*do\/member\.restored[^>]*>Restore<\/a>/),
                "\(again.html)")
            #expect(try await !newest(3302, as: lee).links.contains { $0.contains("/do/") })
            // A ban, as long as it is in force with its release.
            let bob = try await server.logIn(.google, "bob")
            _ = try await kim.perform("member.banned", ["user": bob.user.rawValue], ["length": "1d"])
            _ = try await server.call(Endpoints.logIn, try server.credential(.google, "bob"), by: TestDevice())
            let ban = try await newest(7, as: kim)
            #expect(
                ban.text.contains("a reason of the tests") && ban.links.contains("\(Self.app)/members/\(bob.user)#bans")
            )
            #expect(ban.links.contains("\(Self.app)/do/ban.released?user=\(bob.user)"))
            _ = try await server.call(
                Endpoints.logIn, Credential(provider: .google, idToken: "a.b.c"), by: TestDevice())
            #expect(try await newest(3201, as: kim).links.contains("\(Self.app)/providers/google"))
        }
    }
}
