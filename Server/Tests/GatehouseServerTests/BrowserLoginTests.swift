import FakeProviders
import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct BrowserLoginTests {
    @Test(
        "LOGIN-4, MAP-4, MAP-5: with every provider that has a page: guest, mapping, and a login elsewhere is the same member"
    )
    func everyProvider() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for provider in FakeProviders.withPages {
                let guest = try await server.guestPlayer()
                let mapping = try await server.call(
                    Endpoints.addMapping, server.loginCode(provider, "alice", by: guest.device), by: guest)
                #expect(try mapping.decoded(as: MappingChange.self).provider == provider)
                let device = TestDevice()
                let answer = try await server.call(
                    Endpoints.logIn, server.loginCode(provider, "alice", by: device), by: device)
                let login = try answer.decoded(as: Login.self)
                #expect(login.member.userId == guest.user, "\(provider)")
                #expect(login.member.mappings.map(\.subject) == [server.idps.subject(of: "alice", at: provider)])
                let other = try await server.call(
                    Endpoints.logIn, server.loginCode(provider, "bob", by: device), by: device)
                #expect(try other.decoded(as: Login.self).member.userId != guest.user)
            }
            #expect(!(try await server.database.dump()).contains("fake-code"))
        }
    }

    @Test("IDP-7, IDP-8: what a browser brings back counts once, for the flow and the provider that it belongs to")
    func callbacks() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let first = try await server.atPage(.google, "alice", by: device)
            #expect(try await server.comeBack(first).status == 303)
            let replayed = try await server.comeBack(first)
            #expect(replayed.status == 400)
            #expect(replayed.headers[.location] == nil)
            #expect(replayed.text.contains("This login is over"))

            // A code of another flow is detected by PKCE.
            var one = try await server.atPage(.google, "alice", by: device)
            let other = try await server.atPage(.google, "mallory", by: TestDevice())
            one.parameters["code"] = other.parameters["code"]
            #expect(try server.result(try await server.comeBack(one))["error"] == "credential_rejected")

            // The return names another provider, or goes to another provider's address.
            var named = try await server.atPage(.studio, "alice", by: device)
            named.parameters["iss"] = "https://accounts.google.com"
            #expect(try server.result(try await server.comeBack(named))["error"] == "credential_rejected")
            var unnamed = try await server.atPage(.studio, "alice", by: device)
            unnamed.parameters["iss"] = nil
            #expect(try server.result(try await server.comeBack(unnamed))["error"] == "credential_rejected")
            var elsewhere = try await server.atPage(.studio, "alice", by: device)
            elsewhere.path = Endpoints.path(Endpoints.callback, of: .google, app: TestServer.app)
            #expect(try await server.comeBack(elsewhere).status == 400)
            var otherApp = try await server.atPage(.studio, "alice", by: device)
            otherApp.path = Endpoints.path(Endpoints.callback, of: .studio, app: TestServer.otherApp)
            #expect(try await server.comeBack(otherApp).status == 400)

            let late = try await server.atPage(.google, "alice", by: device)
            server.clock.advance(seconds: 600)
            #expect(try await server.comeBack(late).status == 400)
            for query in ["", "?", "?state=", "?state=a&state=b", "?state=%zz", "?code=x", "?state=a.b&code=c"] {
                let answer = try await server.send(TestCall(method: .get, path: late.path + query))
                #expect(answer.status == 400)
                #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true)
            }
            #expect(try await server.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test(
        "LOGIN-2: whoever turns back at the page is told so, and nothing is made",
        arguments: FakeProviders.withPages)
    func cancelled(provider: Provider) async throws {
        try await TestServer.open(on: .sqlite) { server in
            let back = try await server.atPage(provider, "alice", by: TestDevice(), action: "cancel")
            let answer = try await server.comeBack(back)
            #expect(answer.status == 303)
            #expect(try server.result(answer) == ["error": "cancelled"])
            #expect(server.audit.events.contains("login.cancelled"))
        }
    }

    @Test("A provider that fails in the middle costs the login and nothing else, and says why")
    func failures() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for (fault, word) in [
                (FakeFault.down, "provider_unavailable"), (.odd(.html), "provider_unavailable"),
                (.wrongAudience, "audience_mismatch"), (.odd(.error), "credential_rejected"),
            ] {
                let back = try await server.atPage(.google, "alice", by: TestDevice())
                server.idps.set(fault, for: .google)
                #expect(try server.result(try await server.comeBack(back))["error"] == word, "\(fault)")
                server.idps.set(nil, for: .google)
                server.clock.advance(seconds: 11)
            }
            #expect(try await server.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("A login begins at a provider that has a page, in a region of its own, and leads back to the game alone")
    func begin() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let answer = try await server.begin(.google, by: device, redirect: "https://evil.example/")
            #expect(answer.code == 3)
            #expect(answer.details?.parameter == "redirectUri")
            for provider in [Provider.gameCenter, Provider("nobody"), .guest] {
                #expect(try await server.begin(provider, by: device).code == 3202)
            }
            #expect(try await server.begin(.line, by: device, region: "atlantis").code == 3202)
        }
    }

    @Test("The page tells the player in their language, without scripts, and lets nobody frame it")
    func pages() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for (language, text) in [
                ("ko-KR,en;q=0.5", "로그인되었습니다"), ("ja", "ログインしました"), ("fr", "You are logged in"),
            ] {
                let page = try await server.send(
                    TestCall(
                        method: .get, path: "/login/finished?outcome=success", headers: ["Accept-Language": language]))
                #expect(page.status == 200)
                #expect(page.text.contains(text))
                #expect(!page.text.contains("<script"))
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(policy.contains("style-src 'sha256-"))
                #expect(page.headers[.cacheControl] == "no-store")
            }
            for path in ["/login/finished", "/login/finished?outcome=%3Cscript%3E"] {
                let page = try await server.send(TestCall(method: .get, path: path))
                #expect(page.text.contains("The login failed"))
                #expect(!page.text.contains("<script"))
            }
            let back = try await server.atPage(.google, "alice", by: TestDevice())
            let answer = try await server.comeBack(back, language: "ko")
            #expect(answer.text.contains("게임으로 돌아가기"))
        }
    }
}
