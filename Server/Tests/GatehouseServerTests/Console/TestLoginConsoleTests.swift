import FakeProviders
import Foundation
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// UI-IDP-3: a login that an operator makes as a test, from a provider's page to what came back.
@Suite struct TestLoginConsoleTests {
    /// Begins a test on the provider's page, and logs in at the provider as a person of the fake world.
    ///
    /// - Returns: the callback with which the provider sends the browser back.
    private static func atProvider(
        _ provider: Provider, by kim: ConsoleBrowser, as name: String = "alice", action: String = "login"
    ) async throws -> Return {
        let page = try await kim.get("/console/apps/game/providers/\(provider)")
        let form = try #require(page.forms.first { $0.fields["way"] == "login" }, "\(page.text.suffix(800))")
        let left = try await kim.post(form.action, form.fields)
        #expect(left.status == 200, "\(left.text.suffix(800))")
        let refresh = try #require(HTTPField.Name("Refresh").flatMap { left.answer.headers[$0] })
        #expect(refresh.hasPrefix("0; url="))
        let url = String(refresh.dropFirst(7))
        #expect(left.links.contains(url))
        return try kim.server.atPage(url: url, name, action: action)
    }

    /// Comes back as browsers do from another site: without the session's cookie at first.
    private static func arrive(_ back: Return, by kim: ConsoleBrowser) async throws -> ConsolePage {
        let answer = try await kim.server.comeBack(back)
        #expect(answer.status == 303, "\(answer.text)")
        let target = try #require(answer.headers[.location])
        #expect(target.hasPrefix("\(TestServer.origin)/console/apps/game/providers/"))
        let path = String(target.dropFirst(TestServer.origin.count))
        let bounce = try await kim.server.stranger.get(path, headers: ["Sec-Fetch-Site": "cross-site"])
        #expect(bounce.status == 200 && HTTPField.Name("Refresh").flatMap { bounce.answer.headers[$0] } == "0")
        return try await kim.get(path)
    }

    @Test(
        "UI-IDP-3: a test login of a provider that is off shows what came back, and makes and keeps nothing",
        arguments: Engine.ofDoors, FakeProviders.withPages)
    func claims(engine: Engine, provider: Provider) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .operator)
            try await server.run(DisableIdentityProvider(provider: provider))
            let before = try await server.rowCounts()
            let page = try await Self.arrive(Self.atProvider(provider, by: kim), by: kim)
            #expect(page.status == 200 && page.html.contains("notice good"), "\(provider): \(page.text)")
            let subject = server.idps.subject(of: "alice", at: provider)
            #expect(page.html.contains(subject) && page.text.contains("Nobody has it yet"), "\(page.text)")
            if provider == .google {
                #expect(page.html.contains("https://accounts.google.com"))
                #expect(page.html.contains(server.idps.clientID(of: .google)))
                #expect(page.text.contains("aud, email, exp"), "\(page.text)")
                #expect(!page.html.contains("alice@example.com"))
            }
            #expect(try await server.rowCounts() == before)
            let dump = try await server.database.dump()
            #expect(!dump.contains("fake.") && !dump.contains("fake-code") && !dump.contains(subject))
            let records = try await server.count(
                "SELECT COUNT(*) FROM operator_actions WHERE action = 'provider.tested'")
            #expect(records == 1)
            #expect(try await server.count("SELECT COUNT(*) FROM login_attempts WHERE code_hash IS NOT NULL") == 0)
        }
    }

    @Test("UI-IDP-3: the member that has the identity is named, for who began the test alone, and for ten minutes")
    func member() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let player = try await server.logIn(.google, "alice")
            let kim = try await server.person("kim", .operator)
            let lee = try await server.person("lee", .operator)
            let back = try await Self.atProvider(.google, by: kim)
            let page = try await Self.arrive(back, by: kim)
            #expect(page.links.contains("/console/apps/game/members/\(player.user)"), "\(page.text)")
            #expect(try await lee.get(page.path).status == 404)
            #expect(try await kim.get(page.path.replacing("google", with: "naver")).status == 404)
            let again = try await server.comeBack(back)
            #expect(again.status == 400, "a browser comes back once")
            server.clock.advance(seconds: 601)
            let late = try await kim.get(page.path)
            #expect(late.status == 410 && late.text.contains("This test login has expired"))
            #expect(try await server.sweep() > 0)
            #expect(try await kim.get(page.path).status == 404)
        }
    }

    @Test("UI-IDP-3: a test login that fails names the cause")
    func failures() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            func failed(_ provider: Provider, action: String = "login", _ fault: FakeFault? = nil) async throws
                -> String
            {
                let back = try await Self.atProvider(provider, by: kim, action: action)
                if let fault { server.idps.set(fault, for: provider) }
                let page = try await Self.arrive(back, by: kim)
                server.idps.set(nil, for: provider)
                server.clock.advance(seconds: 11)
                #expect(page.status == 200 && page.html.contains("notice bad"), "\(page.text)")
                return page.text
            }
            #expect(try await failed(.google, action: "cancel").contains("cancelled on the provider's page"))
            #expect(try await failed(.google, .down).contains("can't be asked"))
            #expect(try await failed(.google, .wrongAudience).contains("another client ID"))
            #expect(try await failed(.twitter, .odd(.error)).contains("Cause"))
            for provider in [Provider.google, .studio] {
                var secrets = server.idps.secrets(of: provider).objectValue ?? [:]
                secrets["clientSecret"] = "another-secret"
                try await server.run(
                    SaveIdentityProvider(
                        provider: provider, settings: server.idps.configuration(of: provider), secrets: .object(secrets)
                    )
                )
                let text = try await failed(provider)
                #expect(text.contains("refuses the client ID or the client secret"), "\(text)")
            }
            // The provider's own document can't be had, so there is no page to go to.
            server.idps.set(.down, for: .studio)
            let page = try await kim.get("/console/apps/game/providers/studio")
            let form = try #require(page.forms.first { $0.fields["way"] == "login" })
            let result = try await kim.follow(kim.post(form.action, form.fields))
            #expect(result.html.contains("notice bad") && result.text.contains("503"), "\(result.text)")
            #expect(try await server.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("UI-IDP-3: Game Center has no login with a browser, and viewers begin no test")
    func none() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let page = try await kim.get("/console/apps/game/providers/\(Provider.gameCenter)")
            #expect(page.text.contains("no login with a browser"))
            #expect(!page.forms.contains { $0.fields["way"] == "login" })
            let form = try page.form("/do/provider.tested")
            let forced = try await kim.post(form.action, form.fields.merging(["way": "login"]) { $1 })
            #expect(
                forced.status == 400 && forced.text.contains("This identity provider has no login with a browser."),
                "\(forced.text)")
            let vic = try await server.person("vic", .viewer)
            #expect(!(try await vic.get("/console/apps/game/providers/google")).html.contains("test-login"))
            #expect(try await vic.get("/console/apps/game/providers/google/test/x").status == 403)
        }
    }
}
