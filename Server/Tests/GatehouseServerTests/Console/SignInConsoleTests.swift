import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The way into the console and out of it, over HTTP.
@Suite struct SignInConsoleTests {
    @Test(
        "UI-SIGN-1: an invited person enrols with the printed link, and the link is good once",
        arguments: Engine.ofDoors)
    func enrolment(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            #expect(try await world.stranger.get("/console").html.contains("gatehouse operator create"))
            let token = try await world.run(InviteOperator(name: "kim", grants: [.everything: .owner])).text
            let kim = ConsoleBrowser(world: world, person: "kim")
            let link = "/console/enrol/\(token)"
            for (field, value) in [("password", "short"), ("code", "000000"), ("zone", "Mars/Olympus")] {
                let page = try await kim.enrol(link, [field: value])
                #expect(page.status == 422 && page.problem(field) != nil, "\(field)")
                #expect(kim.token == nil)
            }
            let done = try await kim.enrol(link, ["language": "ko", "zone": "Asia/Seoul"])
            #expect(done.status == 200)
            #expect(kim.recoveryCodes.count == 10 && Set(kim.recoveryCodes).count == 10)
            let home = try await kim.get("/console")
            #expect(home.status == 200 && home.text.contains("Game") && home.html.contains("KST"))
            #expect(home.html.contains(#"<html lang="ko""#))
            #expect(try await world.stranger.get(link).status == 410)
            #expect(!(try await world.stranger.get("/console").html.contains("gatehouse operator create")))
        }
    }

    @Test("CON-4: the cookie is of this host alone, out of reach of scripts and other sites, and new at each sign-in")
    func cookie() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let first = try #require(kim.token)
            let answer = try await kim.signIn()
            let field = try #require(answer.answer.headers[.setCookie])
            #expect(field.hasPrefix("__Host-gatehouse-console="))
            for part in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] { #expect(field.contains(part)) }
            #expect(!field.contains("Domain"))
            #expect(kim.token != first)
            let former = ConsoleBrowser(world: world, person: "kim", cookie: first)
            #expect((try? await former.get("/console").form("/sign-in")) != nil)
            // A secret that somebody has put there beforehand is not taken.
            let preset = Base64URL.encode([UInt8](repeating: 1, count: 32))
            kim.token = preset
            #expect(try await kim.signIn().status == 303)
            #expect(kim.token != preset)
        }
    }

    @Test(
        "CON-7, CON-9: without the code there is no session, every address shows the sign-in, and five tries are enough"
    )
    func wrong() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let kim = try await world.person("kim", .owner)
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
            world.clock.advance(seconds: 900)
            #expect(try await kim.follow(try await kim.signIn()).status == 200)
        }
    }

    @Test(
        "CON-9: a browser where somebody has signed in is known by its cookie, and guesses from elsewhere don't lock it out"
    )
    func knownBrowser() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .owner)
            kim.token = nil
            let entered = try await kim.signIn()
            let name = "__Host-gatehouse-browser="
            let field = try #require(entered.answer.headers[values: .setCookie].first { $0.hasPrefix(name) })
            #expect(field.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000"), "\(field)")
            let cookie = try #require(field.split(separator: ";").first)
            kim.token = nil
            for _ in 0..<5 { #expect(try await kim.signIn(["code": "000000"]).status == 403) }
            func enter(_ cookie: String) async throws -> Int {
                world.clock.advance(seconds: 30)
                let fields = ["name": "kim", "password": kim.password, "code": kim.code, "to": "/console"]
                return try await kim.post("/console/sign-in", fields, headers: ["Cookie": cookie]).status
            }
            for unknown in ["", name, "\(name)AAAA"] {
                #expect(try await enter("x=1; \(unknown)") == 429, "\(unknown)")
            }
            #expect(try await enter("x=1; \(cookie)") == 303)
        }
    }

    @Test("UI-SIGN-1: the recovery codes are a file that needs no script and is nowhere on the server")
    func recoveryFile() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let token = try await world.run(InviteOperator(name: "kim", grants: [.everything: .owner])).text
            let kim = ConsoleBrowser(world: world, person: "kim")
            let page = try await kim.enrol("/console/enrol/\(token)")
            let file = try #require(page.links.first { $0.hasPrefix("data:text/plain;charset=utf-8,") })
            let text = try #require(file.dropFirst("data:text/plain;charset=utf-8,".count).removingPercentEncoding)
            #expect(text.split(separator: "\n").map(String.init) == kim.recoveryCodes && kim.recoveryCodes.count == 10)
            #expect(page.html.contains("download=\"gatehouse-recovery-codes.txt\""))
        }
    }

    @Test("UI-SIGN-6: a recovery code enters once, and the page says how many are left")
    func recoveryCode() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let code = kim.recoveryCodes[0]
            let page = try await kim.follow(try await kim.signIn(["code": code]))
            #expect(page.text.contains("9 are left"))
            #expect(try await kim.signIn(["code": code]).status == 403)
            #expect(world.audit.events.contains("operator.recovery-used"))
            let everything = try await kim.get("/console/me").html
            #expect(kim.recoveryCodes.allSatisfy { !everything.contains($0) })
        }
    }

    @Test("UI-SESS-1: after half an hour the sign-in says why, and leads to the page that was asked for")
    func idle() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let path = "/console/apps/game/members?status=B"
            #expect(try await kim.get(path).status == 200)
            world.clock.advance(seconds: 31 * 60)
            let page = try await kim.get(path)
            #expect(page.text.contains("30 minutes"))
            let answer = try await kim.signIn(at: page)
            #expect(answer.status == 303 && answer.answer.headers[.location] == path)
        }
    }

    @Test("A page that renews itself keeps no session alive, and what its person does on it does")
    func renewal() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", grants: ["*": "owner"])
            let page = try await kim.get("/console/health")
            let name = try #require(HTTPField.Name("Refresh"))
            let renewal = try #require(page.answer.headers[name])
            let path = try #require(renewal.components(separatedBy: "url=").dropFirst().first)
            world.clock.advance(seconds: 20 * 60)
            #expect(try await kim.get(path).status == 200)
            #expect(try await kim.get("/console/health").status == 200)
            for _ in 0..<2 {
                world.clock.advance(seconds: 14 * 60)
                #expect(try await kim.get(path).text.contains("Health"))
            }
            world.clock.advance(seconds: 3 * 60)
            #expect(try await kim.get(path).text.contains("30 minutes"))
        }
    }

    @Test("UI-SESS-2, UI-SESS-3: a form outlives its session, for its person and nobody else")
    func keptForm() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let device = TestDevice()
            let player = try await world.guest(device)
            let (kim, lee) = (try await world.person("kim", .support), try await world.person("lee", .owner))
            let page = try await kim.confirmation(
                of: "member.banned", ["user": player.member.userId.rawValue], ["length": "7d"])
            world.clock.advance(seconds: 31 * 60)
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
            #expect(try await world.refresh(device, player.session.refreshToken).status == 200)
            let done = try await kim.follow(try await kim.submit(again, to: "/do/member.banned"))
            #expect(done.result != nil)
            #expect(try await world.logIn(device).code == 7)
        }
    }

    @Test("UI-SESS-4, UI-SESS-7: who signs out, or ends the other sessions, has ended them at once")
    func signOut() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let first = ConsoleBrowser(world: world, person: "kim", cookie: kim.token)
            kim.token = nil
            #expect(try await kim.signIn().status == 303)
            #expect(try await first.get("/console/me").text.contains("this one"))
            #expect(try await kim.submit(try await kim.get("/console/me"), to: "/me/sessions").status == 303)
            #expect((try? await first.get("/console/me").form("/sign-in")) != nil)
            let former = ConsoleBrowser(world: world, person: "kim", cookie: kim.token)
            let out = try await kim.submit(try await kim.get("/console/me"), to: "/sign-out")
            #expect(out.status == 303 && kim.token == nil)
            #expect(HTTPField.Name("Clear-Site-Data").flatMap { out.answer.headers[$0] }?.contains("storage") == true)
            #expect((try? await former.get("/console/me").form("/sign-in")) != nil)
        }
    }

    @Test("UI-SESS-6: a lower role ends the session, and nothing of the higher one is left")
    func lowerRole() async throws {
        try await World.openConsole(on: .sqlite) { world in
            _ = try await world.developer()
            let kim = try await world.person("kim", grants: ["*": "owner"])
            #expect(try await kim.get("/console").links.contains("/console/operators"))
            try await world.run(GrantOperator(name: "kim", grants: [.app("game"): .viewer]))
            #expect((try? await kim.get("/console").form("/sign-in")) != nil)
            #expect(try await kim.signIn().status == 303)
            let home = try await kim.get("/console")
            #expect(!home.links.contains("/console/operators") && !home.text.contains("Other game"))
            #expect(try await kim.get("/console/apps/other-game/members").status == 404)
            try await world.run(DisableOperator(name: "kim"))
            #expect((try? await kim.get("/console").form("/sign-in")) != nil)
            #expect(try await kim.signIn().status == 403)
        }
    }

    @Test("CON-10: a new password ends the other sessions, and a weak or a wrong one is said at its field")
    func password() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let first = ConsoleBrowser(world: world, person: "kim", cookie: kim.token)
            kim.token = nil
            #expect(try await kim.signIn().status == 303)
            let page = try await kim.get("/console/me")
            func change(_ password: String, _ new: String) async throws -> ConsolePage {
                try await kim.submit(page, ["password": password, "code": kim.code, "new": new], to: "/me/password")
            }
            world.clock.advance(seconds: 30)
            #expect(try await change(kim.password, "short").problem("new") != nil)
            #expect(try await change("not my password", "the mountain sleeps late").problem("password") != nil)
            let copy = ConsoleBrowser(world: world, person: "kim", cookie: kim.token)
            #expect(try await change(kim.password, "the mountain sleeps late").status == 303)
            #expect((try? await kim.get("/console/me").form("/me")) != nil)
            for browser in [first, copy] {
                #expect((try? await browser.get("/console/me").form("/sign-in")) != nil)
            }
            #expect(try await kim.signIn().status == 403)
            #expect(try await kim.signIn(["password": "the mountain sleeps late"]).status == 303)
        }
    }

    @Test("CON-6: a person sets up a new authenticator and new recovery codes without anybody's help")
    func ownFactor() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let codes = kim.recoveryCodes
            world.clock.advance(seconds: 30)
            let former = kim.code
            let page = try await kim.get("/console/me/factor")
            let wrong = try await kim.submit(
                page, ["password": kim.password, "code": former, "newCode": "000000"], to: "/me/factor")
            #expect(wrong.status == 422 && wrong.problem("newCode") != nil)
            let key = #/<code class="key">([A-Z2-7 ]+)<\/code>/#
            #expect(page.html.firstMatch(of: key)?.output.1 == wrong.html.firstMatch(of: key)?.output.1)
            let copy = ConsoleBrowser(world: world, person: "kim", cookie: kim.token)
            let renewed = try await kim.renewFactor(at: wrong, code: former)
            #expect(renewed.status == 200 && kim.recoveryCodes.count == 10)
            #expect(Set(kim.recoveryCodes).intersection(codes).isEmpty)
            #expect((try? await kim.get("/console/me").form("/me")) != nil)
            #expect((try? await copy.get("/console/me").form("/sign-in")) != nil)

            world.clock.advance(seconds: 30)
            let ask = try await kim.get("/console/me/recovery-codes")
            let refused = try await kim.submit(
                ask, ["password": "not my password", "code": kim.code], to: "/me/recovery-codes")
            #expect(refused.status == 422 && refused.problem("password") != nil)
            let again = try await kim.submit(
                ask, ["password": kim.password, "code": kim.code], to: "/me/recovery-codes")
            #expect(again.status == 200 && !again.html.contains(kim.recoveryCodes[0]))
            let events = Set(world.audit.events)
            #expect(events.isSuperset(of: ["operator.factor-renewed", "operator.recovery-codes-renewed"]))
            kim.token = nil
            #expect(try await kim.signIn(["code": codes[0]]).status == 403)
            #expect(try await kim.signIn().status == 303)
        }
    }

    @Test("Language, time zone and look are the person's, and stay; the language link leads back to the page")
    func preferences() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
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
            #expect(try await kim.submit(list, ["to": "xx"], to: "/me/language").status == 303)
            #expect(try await kim.get("/console").html.contains(#"<html lang="ja""#))
        }
    }
}
