import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import TestDatabases
import Testing

/// The console's audit has what was done through every door.
@Suite struct AuditConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    private static func rows(_ page: ConsolePage) -> [String] {
        page.html.matches(of: /<tr id="d-.*?<\/tr>/.dotMatchesNewlines()).map { String($0.output) }
    }

    @Test(
        "What the command and a game server did is in the console's audit, with the door, the reason and what changed",
        arguments: Engine.ofDoors)
    func doors(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let alice = try await server.guest(TestDevice()).member.userId
            let bob = try await server.guest(TestDevice()).member.userId
            let kim = try await server.person("kim", .operator)
            #expect(try await kim.get("\(Self.app)/audit").text.contains("No change is recorded yet."))

            try await server.run(BanMembers([alice], until: nil), reason: "ticket 4711")
            let request = BanRequest(
                userIds: [bob], banType: .permanent, reason: "aimbot", registeredBy: "server-1")
            let call = TestCall(
                path: TestCall.path(Endpoints.ban.template, app: TestServer.app),
                headers: [
                    HeaderNames.secretKey: server.secret.secretValue,
                    HeaderNames.idempotencyKey: "ban-of-bob-and-so-on",
                ], body: try TestServer.json(request))
            for _ in 0..<2 { #expect(try await server.send(call).status == 200) }

            let page = try await kim.get("\(Self.app)/audit")
            let rows = Self.rows(page)
            #expect(rows.count == 2, "\(page.text)")
            for (row, parts) in zip(
                rows,
                [
                    [bob.rawValue, "server-1", "Game server", "aimbot", "Normal", "Banned"],
                    [alice.rawValue, "command", "ticket 4711", "Normal", "Banned"],
                ])
            {
                for part in parts { #expect(row.contains(part), "\(part): \(row)") }
            }
            #expect(try await Self.rows(kim.get("\(Self.app)/audit?by=server-1")).count == 1)
            let file = try await kim.get("\(Self.app)/audit.csv").html
            #expect(file.contains("\"command\"") && file.contains("\"http-api\"") && !file.contains("\"console\""))
            #expect(try await kim.get("\(Self.app)/hand-over").text.contains("aimbot"))
        }
    }

    @Test("The pages of a provider and of a setting tell what the command has changed, and the audit finds what it did")
    func pages() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            #expect(try await kim.get("\(Self.app)/limits").text.contains("Nothing was changed here yet."))
            #expect(try await kim.get("\(Self.app)/providers/naver").text.contains("Nobody has changed anything here."))
            _ = try await server.run(SetLimits { $0.newGuestsPerMinute = 7 }, reason: "launch day")
            try await server.run(DisableIdentityProvider(provider: .naver), reason: "their outage")
            #expect(try await kim.get("\(Self.app)/limits").text.contains("launch day"))
            #expect(try await kim.get("\(Self.app)/providers/naver").text.contains("their outage"))

            let list = try await kim.get("\(Self.app)/audit")
            #expect(list.text.contains("Change the limits") && list.text.contains("Switch off"), "\(list.text)")
            for name in OperatorActions.namesOfCommand.app {
                #expect(list.html.contains("<option value=\"\(name)\">"), "\(name)")
            }
            let none = try await kim.get("\(Self.app)/audit?action=app.import-begun")
            #expect(Self.rows(none).isEmpty && none.text.contains("Import players"), "\(none.text)")
        }
    }
}
