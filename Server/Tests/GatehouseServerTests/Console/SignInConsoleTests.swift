import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseConsole

/// The way into the console and out of it, over HTTP.
@Suite struct SignInConsoleTests {
    @Test(
        "UI-SIGN-1: an invited person enrols with the printed link, and the link is good once",
        arguments: Engine.ofDoors)
    func enrolment(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            #expect(try await server.stranger.get("/console").html.contains("gatehouse operator create"))
            let token = try await server.runOnServer(InviteOperator(name: "kim", grants: [.everything: .owner])).text
            let kim = ConsoleBrowser(server: server, person: "kim")
            let link = "/console/enrol/\(token)"
            for (field, value) in [("password", "short"), ("code", "000000"), ("zone", "Mars/Olympus")] {
                let page = try await kim.enrol(link, [field: value])
                #expect(page.status == 422 && page.problem(field) != nil, "\(field)")
                #expect(kim.token == nil)
            }
            let done = try await kim.enrol(link, ["language": "ko", "zone": "Asia/Seoul"])
            #expect(done.status == 200)
            #expect(kim.recoveryCodes.count == 10)
            // The recovery codes are a file that needs no script.
            let file = try #require(done.links.first { $0.hasPrefix("data:text/plain;charset=utf-8,") })
            let text = try #require(file.dropFirst("data:text/plain;charset=utf-8,".count).removingPercentEncoding)
            #expect(text.split(separator: "\n").map(String.init) == kim.recoveryCodes)
            #expect(done.html.contains("download=\"gatehouse-recovery-codes.txt\""))
            let home = try await kim.get("/console")
            #expect(home.status == 200 && home.text.contains("Game") && home.html.contains("KST"))
            #expect(home.html.contains(#"<html lang="ko""#))
            #expect(try await server.stranger.get(link).status == 410)
            #expect(!(try await server.stranger.get("/console").html.contains("gatehouse operator create")))
        }
    }

    @Test("A name and a code enter as people type them, and an authenticator app is told the server's host")
    func typed() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let token = try await server.runOnServer(InviteOperator(name: "Kim", grants: [.everything: .viewer])).text
            let kim = ConsoleBrowser(server: server, person: "kim")
            let link = "/console/enrol/\(token)"
            let totp = try await server.run(ReadInvitation(token: token)).secret
            let symbol = try #require(QRCode(totp.address(account: "kim", host: "login.example.com")))
            #expect(try await kim.get(link).html.contains(symbol.path))
            func typedCode(_ separator: String, at moment: Moment) -> String {
                let code = totp.code(at: moment)
                return "\u{202d}\(code.prefix(3))\(separator)\(code.suffix(3))\u{202c}"
            }
            #expect(try await kim.enrol(link, ["code": typedCode("\u{a0}", at: server.clock.now)]).status == 200)
            kim.token = nil
            let code = typedCode("－", at: server.clock.now.adding(seconds: 30))
            let entered = try await kim.signIn(["name": " \u{200e}Ｋim\u{2060}", "code": code])
            #expect(entered.status == 303 && kim.token != nil)
        }
    }

    @Test("CON-4: the cookie is of this host alone, out of reach of scripts and other sites, and new at each sign-in")
    func cookie() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let first = try #require(kim.token)
            let answer = try await kim.signIn()
            let field = try #require(answer.answer.headers[.setCookie])
            #expect(field.hasPrefix("__Host-gatehouse-console="))
            for part in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] { #expect(field.contains(part)) }
            #expect(!field.contains("Domain"))
            #expect(kim.token != first)
            let former = ConsoleBrowser(server: server, person: "kim", cookie: first)
            #expect((try? await former.get("/console").form("/sign-in")) != nil)
            // A secret that somebody has put there beforehand is not taken.
            let preset = Base64URL.encode([UInt8](repeating: 1, count: 32))
            kim.token = preset
            #expect(try await kim.signIn().status == 303)
            #expect(kim.token != preset)
        }
    }

    @Test(
        "CON-7, CON-9: whatever is wrong, the page is the same, every address shows the sign-in, and a wait is said"
    )
    func wrong() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let kim = try await server.person("kim", .owner)
            kim.token = nil
            for fields in [["code": "000000"], ["password": "a wrong password!"], ["name": "nobody"], ["code": ""]] {
                let page = try await kim.signIn(fields)
                #expect(page.status == 403 && page.text.contains("The name, the password or the code is wrong."))
                #expect(page.answer.headers[.setCookie] == nil && kim.token == nil)
                #expect(try page.form("/sign-in").fields["password"] == "")
                for path in ["", "/me", "/apps/game/members", "/apps/game/members/\(user)"] {
                    let shown = try await kim.get("/console\(path)")
                    #expect((try? shown.form("/sign-in")) != nil && !shown.text.contains(user.rawValue), "\(path)")
                }
            }
            #expect(try await kim.signIn(["code": "000000"]).status == 403)
            #expect(try await kim.signIn(["code": "000000"]).status == 403)
            let late = try await kim.signIn()
            #expect(late.status == 429 && late.text.contains("Try again in"))
        }
    }

    @Test(
        "CON-9: a browser where somebody has signed in is known by its cookie, and guesses from elsewhere don't lock it out"
    )
    func knownBrowser() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .owner)
            kim.token = nil
            let entered = try await kim.signIn()
            let name = "__Host-gatehouse-browser="
            let field = try #require(entered.answer.headers[values: .setCookie].first { $0.hasPrefix(name) })
            #expect(field.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000"), "\(field)")
            let cookie = try #require(field.split(separator: ";").first)
            kim.token = nil
            for _ in 0..<5 { #expect(try await kim.signIn(["code": "000000"]).status == 403) }
            func enter(_ cookie: String) async throws -> Int {
                server.clock.advance(seconds: 30)
                let fields = ["name": "kim", "password": kim.password, "code": kim.code, "to": "/console"]
                return try await kim.post("/console/sign-in", fields, headers: ["Cookie": cookie]).status
            }
            for unknown in ["", name, "\(name)AAAA"] {
                #expect(try await enter("x=1; \(unknown)") == 429, "\(unknown)")
            }
            #expect(try await enter("x=1; \(cookie)") == 303)
        }
    }

    @Test("UI-SIGN-6: the page to which a recovery code has led says how many are left, and none shows them again")
    func recoveryCode() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let page = try await kim.follow(try await kim.signIn(["code": kim.recoveryCodes[0]]))
            #expect(page.text.contains("9 are left"))
            let everything = try await kim.get("/console/me").html
            #expect(kim.recoveryCodes.allSatisfy { !everything.contains($0) })
        }
    }

    @Test("UI-SESS-1: after half an hour the sign-in says why, and leads to the page that was asked for")
    func idle() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let path = "/console/apps/game/members?status=B"
            #expect(try await kim.get(path).status == 200)
            server.clock.advance(seconds: 31 * 60)
            let page = try await kim.get(path)
            #expect(page.text.contains("30 minutes"))
            let answer = try await kim.signIn(at: page)
            #expect(answer.status == 303 && answer.answer.headers[.location] == path)
        }
    }

    @Test("A page that renews itself keeps no session alive, and what its person does on it does")
    func renewal() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", grants: ["*": "owner"])
            let page = try await kim.get("/console/health")
            let renewal = /<noscript><meta http-equiv="refresh" content="60; url=([^"&]*)=1">/
            let path = "\(try #require(page.html.firstMatch(of: renewal)).output.1)=1"
            server.clock.advance(seconds: 20 * 60)
            #expect(try await kim.get(path).status == 200)
            #expect(try await kim.get("/console/health").status == 200)
            for _ in 0..<2 {
                server.clock.advance(seconds: 14 * 60)
                #expect(try await kim.get(path).text.contains("Health"))
            }
            server.clock.advance(seconds: 3 * 60)
            #expect(try await kim.get(path).text.contains("30 minutes"))
        }
    }

    @Test("UI-SESS-2, UI-SESS-3: a form outlives its session, for its person and nobody else")
    func keptForm() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let device = TestDevice()
            let player = try await server.guest(device)
            let (kim, lee) = (try await server.person("kim", .support), try await server.person("lee", .owner))
            let page = try await kim.confirmation(
                of: "member.banned", ["user": player.member.userId.rawValue], ["length": "7d"])
            server.clock.advance(seconds: 31 * 60)
            let over = try await kim.submit(
                page, ["reason": "aimbot in <round> 3", "ticket": "T-99"], to: "/do/member.banned")
            #expect(over.text.contains("30 minutes") && !over.html.contains("aimbot"))
            let other = try await lee.submit(
                over, ["name": "lee", "password": lee.password, "code": lee.code], to: "/sign-in")
            #expect(other.status == 303 && other.answer.headers[.location] == "/console")
            let again = try await kim.signIn(at: over)
            #expect(again.status == 200)
            let form = try again.form("/do/member.banned")
            #expect(form.fields["reason"] == "aimbot in <round> 3" && form.fields["ticket"] == "T-99")
            #expect(form.fields["length"] == "7d" && form.fields["user"] == player.member.userId.rawValue)
            #expect(try await server.refresh(device, player.session.refreshToken).status == 200)
            let done = try await kim.follow(try await kim.submit(again, to: "/do/member.banned"))
            #expect(done.result != nil)
            #expect(try await server.logIn(device).code == 7)
        }
    }

    @Test("UI-SESS-4, UI-SESS-7: a person sees the sessions, ends the others, and signs out of this one")
    func signOut() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let first = ConsoleBrowser(server: server, person: "kim", cookie: kim.token)
            kim.token = nil
            #expect(try await kim.signIn().status == 303)
            #expect(try await first.get("/console/me").text.contains("this session"))
            #expect(try await kim.submit(try await kim.get("/console/me"), to: "/me/sessions").status == 303)
            #expect((try? await first.get("/console/me").form("/sign-in")) != nil)
            let out = try await kim.submit(try await kim.get("/console/me"), to: "/sign-out")
            #expect(out.status == 303 && kim.token == nil)
            #expect(HTTPField.Name("Clear-Site-Data").flatMap { out.answer.headers[$0] }?.contains("storage") == true)
        }
    }

    @Test("UI-SESS-4: a person ends one session and leaves the others")
    func endOne() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            var others: [ConsoleBrowser] = []
            for _ in 0..<2 {
                others.append(ConsoleBrowser(server: server, person: "kim", cookie: kim.token))
                kim.token = nil
                #expect(try await kim.signIn().status == 303)
            }
            func live(_ browser: ConsoleBrowser) async throws -> Bool {
                (try? await browser.get("/console/me").form("/me/sessions")) != nil
            }
            let page = try await kim.get("/console/me")
            // The page has no button for the session in which it is read.
            let sessions = page.html.matches(of: /name="session" value="([^"]*)"/).map { String($0.output.1) }
            #expect(sessions.count == 2)
            #expect(try await kim.submit(page, ["session": sessions[0]], to: "/me/sessions").status == 303)
            #expect(try await live(kim))
            var left = 0
            for other in others where try await live(other) { left += 1 }
            #expect(left == 1)
        }
    }

    @Test("The first sign-in keeps the browser's time zone, and no later one changes what the person has")
    func zoneOfBrowser() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            #expect(try await kim.get("/console").links.contains("/console/me#f-zone"))
            for (zone, kept) in [("Mars/Olympus", ""), ("Asia/Seoul", "Asia/Seoul"), ("Europe/Paris", "Asia/Seoul")] {
                kim.token = nil
                #expect(try await kim.signIn(["zone": zone]).status == 303)
                #expect(try await kim.get("/console/me").form("/me").fields["zone"] == kept, "\(zone)")
            }
            #expect(!(try await kim.get("/console").links.contains("/console/me#f-zone")))
        }
    }

    @Test("CON-6, CON-10: who changes a credential goes on with a new cookie, and what is wrong is said at its field")
    func credentials() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            var former = kim.token
            func expectRenewed() async throws {
                #expect(kim.token != nil && kim.token != former)
                #expect((try? await kim.get("/console/me").form("/me")) != nil)
                former = kim.token
                server.clock.advance(seconds: 30)
            }
            server.clock.advance(seconds: 30)
            let factor = try await kim.get("/console/me/factor")
            let wrong = try await kim.submit(
                factor, ["password": kim.password, "code": kim.code, "newCode": "000000"], to: "/me/factor")
            #expect(wrong.status == 422 && wrong.problem("newCode") != nil)
            let key = #/<code class="key">([A-Z2-7 ]+)<\/code>/#
            #expect(factor.html.firstMatch(of: key)?.output.1 == wrong.html.firstMatch(of: key)?.output.1)
            let renewed = try await kim.renewFactor(at: wrong, code: kim.code)
            #expect(renewed.status == 200 && kim.recoveryCodes.count == 10)
            try await expectRenewed()

            let ask = try await kim.get("/console/me/recovery-codes")
            let refused = try await kim.submit(
                ask, ["password": "not my password", "code": kim.code], to: "/me/recovery-codes")
            #expect(refused.status == 422 && refused.problem("password") != nil)
            let codes = try await kim.submit(
                ask, ["password": kim.password, "code": kim.code], to: "/me/recovery-codes")
            #expect(codes.status == 200 && !codes.html.contains(kim.recoveryCodes[0]))
            server.clock.advance(seconds: 30)

            let page = try await kim.get("/console/me")
            let right = ["password": kim.password, "code": kim.code, "new": "the mountain sleeps late"]
            for (field, value) in [("new", "short"), ("password", "not my password")] {
                let again = try await kim.submit(page, right.merging([field: value]) { $1 }, to: "/me/password")
                #expect(again.problem(field) != nil, "\(field)")
            }
            #expect(try await kim.submit(page, right, to: "/me/password").status == 303)
            try await expectRenewed()
        }
    }

    @Test("Language, time zone and look are the person's, and stay; the language link leads back to the page")
    func preferences() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let page = try await kim.get("/console/me", headers: ["Accept-Language": "ko-KR,ko;q=0.9"])
            #expect(page.html.contains(#"<html lang="en""#) || page.html.contains(#"<html lang="ko""#))
            let wrong = try await kim.submit(page, ["zone": "../../etc/passwd"], to: "/console/me")
            #expect(wrong.status == 422 && wrong.problem("zone") != nil)
            let saved = try await kim.submit(
                page, ["zone": "Asia/Tokyo", "theme": "dark", "density": "compact", "language": "en"],
                to: "/console/me")
            let shown = try await kim.follow(saved)
            #expect(shown.html.contains(#"data-theme="dark""#) && shown.html.contains("JST"))
            let list = try await kim.get("/console/apps/game/members?status=B")
            let switched = try await kim.submit(list, ["to": "ja"], to: "/me/language")
            #expect(switched.answer.headers[.location] == "/console/apps/game/members?status=B")
            #expect(try await kim.get("/console").html.contains(#"<html lang="ja""#))
            // Another language leaves the look as it is, and so do hostile values.
            let bright = ["zone": "Asia/Tokyo", "theme": "light", "density": "compact", "language": "ja"]
            #expect(try await kim.submit(kim.get("/console/me"), bright, to: "/console/me").status == 303)
            let light = try await kim.get("/console").html
            #expect(light.contains(#"data-theme="light""#) && light.contains(#"data-density="compact""#))
            #expect(try await kim.submit(list, ["to": "xx", "theme": "xx"], to: "/me/language").status == 303)
            #expect(try await kim.get("/console").html.contains(#"data-theme="light""#))
            #expect(try await kim.get("/console").html.contains(#"<html lang="ja""#))
        }
    }
}
