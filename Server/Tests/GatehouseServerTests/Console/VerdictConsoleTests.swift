import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What the first lines of a page say of its subject.
@Suite struct VerdictConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    @Test("The head of a member's page says that maintenance keeps the player out")
    func maintenance() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let user = try await server.guest(TestDevice()).member.userId
            let page = "\(Self.app)/members/\(user)"
            #expect(try await kim.get(page).text.contains("Normal The member can play."))
            try await server.run(SetStatus(status: .maintenance, message: [:]))
            server.clock.advance(seconds: 1)
            for path in [page, "\(page)/text"] {
                let shown = try await kim.get(path)
                #expect(!shown.text.contains("The member can play."), "\(shown.text)")
                #expect(shown.text.contains("The app: Maintenance"), "\(shown.text)")
            }
        }
    }

    @Test("An app without a provider has something to do, and is not fine")
    func noProvider() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let app = AppID("new-game")
            _ = try await server.runOnServer(CreateApp(id: app, name: "New game"))
            let kim = try await server.person("kim", .operator, in: app)
            let page = try await kim.get("/console/apps/\(app)")
            #expect(
                page.text.contains("To do") && page.text.contains("No identity provider is switched on"), "\(page.text)"
            )
            #expect(!page.text.contains("Every identity provider"))
        }
    }

    @Test("While maintenance runs, the page of apps and the menu of apps say so, as the overview does")
    func apps() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let marks = [("good", "In service"), ("warn", "Maintenance")].map {
                "<span class=\"badge \($0.0)\">\($0.1)</span>"
            }
            let menu = "/console/me?in=\(TestServer.otherApp)"
            for (isRunning, mark) in zip([false, true], marks) {
                if isRunning {
                    let end = server.clock.now.adding(seconds: 600)
                    try await server.run(PlanMaintenance(begin: nil, end: end, message: [:], url: nil))
                    server.clock.advance(seconds: 10)
                }
                for path in ["/console", menu] {
                    let html = try await kim.get(path).html
                    #expect(marks.filter { html.contains($0) } == [mark], "\(path)")
                }
                let overview = try await kim.get(Self.app).text
                #expect(overview.contains("maintenance runs until") == isRunning, "\(overview)")
            }
            let page = try await kim.get("\(Self.app)/launching")
            #expect(page.text.contains("Status as set In service") && !page.html.contains(marks[0]))
        }
    }

    @Test("Of identity providers that nobody has tried, no page says that they answer, until one is tried")
    func untried() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let before = try await kim.get(Self.app)
            #expect(before.text.contains("To do It is not known whether"), "\(before.text)")
            #expect(!before.text.contains("Every identity provider"))
            let view = try await server.run(ReadIdentityProviders())
            try await server.database.transact { tx in
                for (provider, one) in view {
                    let passed = ProviderTestRecord(
                        findings: [.fine("a", "a")], version: one.configuration.version, person: "kim",
                        date: server.clock.now)
                    try ProviderTestQueries.set(passed, of: provider, app: TestServer.app, in: tx)
                }
            }
            let after = try await kim.get(Self.app)
            #expect(after.text.contains("Fine Every identity provider answered at its last login or test."))
            #expect(!after.text.contains("It is not known"))
        }
    }

    @Test("Identity providers that fail alike have a line each while they are few, and one together when they are many")
    func providers() async throws {
        for (names, lines) in [
            (["google", "line", "naver"], ["Google fails: 100% of 10 tries.", "Naver fails: 100% of 10 tries."]),
            (
                ["facebook", "google", "line", "naver"],
                ["Facebook, Google, LINE, Naver fail: together 100% of 40 tries."]
            ),
        ] {
            try await TestServer.openConsole(on: .sqlite) { server in
                let kim = try await server.person("kim", .operator)
                let hour = server.clock.now.milliseconds / 3_600_000 * 3_600_000
                // Nothing else is written in these tables, because the service that counts does not run.
                try await server.database.transact { tx in
                    for name in names {
                        for age in [Int64(0), 30] {
                            try tx.execute(
                                """
                                INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
                                VALUES (\(TestServer.app), \("hour"), \(Metric.providerFailed.rawValue),
                                    \(hour - age * 3_600_000), \(name), \(Int64(10)))
                                """)
                        }
                    }
                }
                let page = try await kim.get(Self.app)
                for line in lines { #expect(page.text.contains(line), "\(page.text)") }
                #expect(page.text.contains("fails:") == (names.count == 3))
                // Each line leads to the calls that it counts.
                let address = names.count == 3 ? "group=code&idp=naver&range=2h" : "group=provider&range=2h"
                #expect(page.links.contains { $0.hasSuffix("/refusals?\(address)") }, "\(page.links)")
            }
        }
    }

    @Test("Who has no role on the server reads so, and not that the own role is the one it takes")
    func roleOnServer() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            for path in ["jobs", "health"] {
                let page = try await kim.get("/console/\(path)")
                #expect(page.status == 403 && page.text.contains("you have a role in single apps only"), "\(page.text)")
            }
        }
    }

    @Test("The page of an error is in the language of the person, whatever the browser's is")
    func errorLanguage() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let form = try await kim.get("/console").forms.first { $0.action.hasSuffix("/me/language") }
            let fields = try #require(form).fields
            _ = try await kim.follow(kim.post("/console/me/language", fields.merging(["to": "ko"]) { $1 }))
            let page = try await kim.get("/console/nowhere", headers: ["Accept-Language": "en"])
            #expect(
                page.status == 404 && page.html.contains("lang=\"ko\"") && !page.text.contains("There is no"),
                "\(page.text)")
            let help = try await kim.get("/console/help/bans")
            #expect(help.status == 200 && help.text.contains("이용 정지"))
        }
    }
}
