import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// The page of those who are told of an app's verdicts.
@Suite struct AlertConsoleTests {
    private static let page = "/console/apps/\(TestServer.app)/alerts"
    private static let secret = "https://hooks.example.com/services/T0/B0/xyzzy"

    @Test("A webhook's secret is shown once, and the list shows whom it tells what, with a test, a change and an end")
    func webhook() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            #expect(try await kim.get(Self.page).text.contains("Nobody is told yet"))
            let shown = try await kim.perform(
                "alert-receiver.added", ["kind": "webhook"],
                [
                    "address": "https://hooks.example.com/gatehouse?token=1", "quietFrom": "22", "quietUntil": "7",
                    "language": "ko",
                ])
            #expect(shown.status == 200 && shown.html.contains("whsec_"), "\(shown.text)")
            var list = try await kim.get(Self.page)
            #expect(list.text.contains("hooks.example.com") && list.text.contains("22:00 to 07:00"), "\(list.text)")
            #expect(list.text.contains("Everything · Warnings and critical") && list.text.contains("Korean"))
            #expect(!list.html.contains("whsec_") && !list.html.contains("token=1"))
            let test = try #require(list.links.first { $0.contains("/do/alert-receiver.tested") })
            let sent = try await kim.follow(kim.submit(kim.get(test), to: "/do/alert-receiver.tested"))
            #expect(sent.result?.hasPrefix("The test is on its way.") == true, "\(sent.text)")
            let change = try #require(list.links.first { $0.contains("/do/alert-receiver.changed") })
            let asked = try await kim.submit(kim.get(change), ["on": "off"], to: "/do/alert-receiver.changed/check")
            let changed = try await kim.follow(
                kim.submit(asked, ["reason": "too loud"], to: "/do/alert-receiver.changed"))
            #expect(changed.text.contains("Off") && !changed.text.contains("22:00"), "\(changed.text)")
            list = try await kim.get(Self.page)
            let removal = try #require(list.links.first { $0.contains("/do/alert-receiver.removed") })
            let gone = try await kim.follow(
                kim.submit(kim.get(removal), ["reason": "not used"], to: "/do/alert-receiver.removed"))
            #expect(gone.text.contains("Nobody is told yet"), "\(gone.text)")
        }
    }

    @Test("Slack's address is in no page, neither beside what is wrong nor in what is confirmed nor in the audit")
    func slack() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let form = try await kim.get("/console/apps/\(TestServer.app)/do/alert-receiver.added?kind=slack")
            let fields = ["secret.address": Self.secret, "quietFrom": "3"]
            let wrong = try await kim.submit(form, fields, to: "/do/alert-receiver.added/check")
            #expect(wrong.status == 422 && !wrong.html.contains("xyzzy"), "\(wrong.text)")
            let asked = try await kim.submit(wrong, ["quietUntil": "5"], to: "/do/alert-receiver.added/check")
            #expect(asked.text.contains("Send alerts to hooks.example.com …yzzy?"), "\(asked.text)")
            #expect(!asked.html.contains("xyzzy"))
            let list = try await kim.follow(kim.submit(asked, ["reason": "on call"], to: "/do/alert-receiver.added"))
            #expect(list.text.contains("hooks.example.com …yzzy") && !list.html.contains("xyzzy"), "\(list.text)")
            for path in ["audit", "do/alert-receiver.added?kind=slack"] {
                #expect(try await !kim.get("/console/apps/\(TestServer.app)/\(path)").html.contains("xyzzy"))
            }
        }
    }

    @Test("Who has a role on the server adds a receiver for the server, which an operator of the app sees and leaves")
    func server() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let olga = try await server.person("olga", grants: ["*": "owner"])
            let form = try await olga.get("/console/apps/\(TestServer.app)/do/alert-receiver.added?kind=email")
            #expect(form.html.contains("verdict.late-jobs"))
            let added = try await olga.perform(
                "alert-receiver.added", ["kind": "email"],
                ["address": "ops@example.com", "verdict.late-jobs": "on", "verdict.lost-nodes": "on"])
            #expect(added.text.contains("Everything, Server: jobs are late"), "\(added.text)")
            #expect(added.links.contains { $0.contains("/do/alert-receiver.changed") })
            let kim = try await server.person("kim", .operator)
            let own = try await kim.get("/console/apps/\(TestServer.app)/do/alert-receiver.added?kind=email")
            #expect(!own.html.contains("verdict.late-jobs") && own.html.contains("verdict.closed"))
            let list = try await kim.get(Self.page)
            #expect(list.text.contains("ops@example.com") && !list.links.contains { $0.contains("receiver=") })
            let change = try #require(added.links.first { $0.contains("/do/alert-receiver.changed") })
            #expect(try await kim.get(change).status == 403)
            let health = try await olga.get("/console/health?in=\(TestServer.app)")
            // Beside the one of the navigation.
            #expect(health.links.filter { $0 == Self.page }.count == 2)
        }
    }

    @Test("Support sees no addresses of receivers")
    func roles() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let sam = try await server.person("sam", .support)
            #expect(try await sam.get(Self.page).status == 403)
            #expect(try await !sam.get("/console/apps/\(TestServer.app)").links.contains { $0.hasSuffix("/alerts") })
        }
    }
}
