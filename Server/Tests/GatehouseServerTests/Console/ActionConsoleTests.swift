import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Every change is a page with its form and what will happen, and a result.
@Suite struct ActionConsoleTests {
    @Test(
        "A ban by its page and result; sent again it is not done again, and one press of *Undo* releases it",
        arguments: Engine.ofDoors)
    func once(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let device = TestDevice()
            let user = try await server.guest(device).member.userId
            let kim = try await server.person("kim", .support)
            let page = try await kim.confirmation(of: "member.banned", ["user": user.rawValue], ["length": "3d"])
            #expect(page.status == 200 && page.text.contains(user.rawValue))
            #expect(try await server.logIn(device).status == 200)
            let reason = ["reason": "aimbot\r\nin two rounds", "ticket": "T-1"]
            let first = try await kim.submit(page, reason, to: "/do/member.banned")
            let done = try await kim.follow(first)
            #expect(done.result != nil, "\(done.text)")
            #expect(try await server.logIn(device).code == 7)
            #expect(done.text.contains("aimbot") && !done.html.contains("U+000D"))
            let second = try await kim.submit(page, reason, to: "/do/member.banned")
            #expect(second.status == 303 && second.answer.headers[.location] == first.answer.headers[.location])
            #expect(done.result?.hasPrefix("\(user): ") == true, "the result names the player")
            let released = try await kim.submit(done, to: "/do/ban.released/undo")
            #expect(try await kim.follow(released).result != nil)
            #expect(try await server.logIn(device).status == 200)
            let pressed = try await kim.submit(done, to: "/do/ban.released/undo")
            #expect(pressed.status == 303 && pressed.answer.headers[.location] == released.answer.headers[.location])
            // The page of the ban, sent a third time, still tells what came of it.
            #expect(try await kim.submit(page, reason, to: "/do/member.banned").status == 303)
            #expect(try await server.logIn(device).status == 200)
            let actions = try await server.database.read { tx in
                try tx.rows(
                    "SELECT action, reason FROM operator_actions WHERE role = 'support' ORDER BY entry_id"
                ) { row in "\(try row[0] as String) \(try row[1] as String)" }
            }
            #expect(
                actions == ["member.banned aimbot\nin two rounds", "ban.released Undone: Ban (aimbot\nin two rounds)"])
        }
    }

    @Test("What has changed meanwhile is shown with who changed it, and confirmed again")
    func stale() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let (kim, lee) = (try await server.person("kim", .operator), try await server.person("lee", .operator))
            #expect(try await kim.perform("member.banned", ["user": user.rawValue], ["length": "1h"]).result != nil)
            let page = try await kim.confirmation(of: "ban.released", ["user": user.rawValue])
            #expect(try await lee.perform("ban.released", ["user": user.rawValue]).result != nil)
            #expect(try await lee.perform("member.banned", ["user": user.rawValue], ["length": "30d"]).result != nil)
            let stale = try await kim.submit(page, ["reason": "the wrong one"], to: "/do/ban.released")
            #expect(stale.status == 409 && stale.text.contains("lee"), "\(stale.text)")
            let form = try stale.form("/do/ban.released")
            #expect(form.fields["reason"] == "the wrong one")
            #expect(try await kim.follow(try await kim.submit(stale, to: "/do/ban.released")).result != nil)
        }
    }

    @Test("What can't be done any more is a page of the change in the frame, with the reason, a code and the way back")
    func impossible() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let login = try await server.guest(TestDevice())
            let user = login.member.userId
            let member = "/console/apps/game/members/\(user)"
            let name = EndMemberSession.about.name
            let link = try #require(try await kim.get(member).links.first { $0.contains("/do/\(name)?") })
            let page = try await kim.get(link)
            try await server.run(KickOut(user: user, message: [:]))
            let reason = ["reason": "it is not the player's"]
            for answer in [try await kim.get(link), try await kim.submit(page, reason, to: "/do/\(name)")] {
                #expect(answer.status == 400 && answer.html.contains("<nav class=\"side\""))
                #expect(answer.html.contains("<h1>End the session") && !answer.text.contains("Something went wrong"))
                #expect(answer.text.contains("The member has no such session, or it has ended."), "\(answer.text)")
                #expect(answer.text.contains("(code 3)") && answer.links.contains(member))
            }
        }
    }

    @Test("A form that was filled in wrongly says so at its field, with all that was typed")
    func problems() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let kim = try await server.person("kim", .support)
            for until in ["", "2020-01-01T00:00", "x", "9999-99-99T99:99"] {
                let page = try await kim.confirmation(
                    of: "member.banned", ["user": user.rawValue], ["length": "until", "until": until])
                #expect(page.status == 422 && page.problem("until") != nil, "\(until)")
            }
            let page = try await kim.confirmation(of: "member.banned", ["user": user.rawValue], ["length": "1d"])
            for reason in ["", "abc", "    a   ", String(repeating: "a", count: 1_001)] {
                let again = try await kim.submit(page, ["reason": reason, "ticket": "T-5"], to: "/do/member.banned")
                #expect(again.status == 422 && again.problem("reason") != nil)
                #expect(try again.form("/do/member.banned").fields["ticket"] == "T-5")
            }
            for fields in [["once": ""], ["once": String(repeating: "x", count: 65)]] {
                let again = try await kim.submit(
                    page, ["reason": "a good reason"].merging(fields) { $1 }, to: "/do/member.banned")
                #expect(again.status == 200 && (try? again.form("/do/member.banned")) != nil)
            }
            #expect(try await kim.get("/console/apps/game/do/member.banned?user=none").status < 500)
            let count = try await server.database.read { tx in
                try tx.first("SELECT COUNT(*) FROM operator_actions WHERE role = 'support'") { row in
                    try row[0] as Int
                }
            }
            #expect(count == 0)
        }
    }

    @Test("A dangerous change takes a sign-in of the last ten minutes and the typed word, and renews the session")
    func elevation() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let users = [
                try await server.guest(TestDevice()).member.userId, try await server.guest(TestDevice()).member.userId,
            ]
            let kim = try await server.person("kim", .operator)
            let query = ["user": users[0].rawValue]
            let fresh = try await kim.confirmation(of: "member.withdrawn", query)
            #expect(try fresh.form("/do/member.withdrawn").fields["password"] == nil)
            server.clock.advance(seconds: 601)
            let page = try await kim.confirmation(of: "member.withdrawn", query)
            // A password manager is told whose password it is, and the form does not send that.
            #expect(page.html.contains("<input type=\"text\" value=\"kim\" autocomplete=\"username\" readonly hidden>"))
            #expect(try page.form("/do/member.withdrawn").fields["name"] == nil)
            let former = kim.token
            let right = [
                "reason": "the player asked", "typed": String(users[0].rawValue.suffix(4)), "password": kim.password,
                "code": kim.code,
            ]
            for (field, value) in [("typed", "nope"), ("password", "a wrong password!"), ("code", "000000")] {
                let again = try await kim.submit(page, right.merging([field: value]) { $1 }, to: "/do/member.withdrawn")
                #expect(again.status == 422, "\(field)")
                #expect(again.problem(field == "code" ? "password" : field) != nil, "\(field)")
                #expect(!again.html.contains(kim.password) && kim.token == former)
            }
            // The page of before the ten minutes asks as well.
            let late = try await kim.submit(fresh, right.filter { $0.key != "password" }, to: "/do/member.withdrawn")
            #expect(late.status == 422)
            let answer = try await kim.submit(page, right, to: "/do/member.withdrawn")
            #expect(answer.status == 303 && kim.token != former)
            #expect(try await kim.follow(answer).result != nil)
            let old = ConsoleBrowser(server: server, person: "kim", cookie: former)
            #expect((try? await old.get("/console/me").form("/sign-in")) != nil)
            // A person who has just signed in is not asked again.
            let next = try await kim.confirmation(of: "member.withdrawn", ["user": users[1].rawValue])
            #expect(try next.form("/do/member.withdrawn").fields["password"] == nil)
        }
    }

    @Test("Who came by the link of the development server has no password, and is asked for none")
    func developer() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let developer = try await server.developer()
            server.clock.advance(seconds: 1_500)
            let page = try await developer.confirmation(of: "secret.created", [:], ["kind": "own"])
            #expect(try page.form("/do/secret.created").fields["password"] == nil)
        }
    }

    @Test("Who signs in for a change that has become impossible stays signed in")
    func elevatedFailure() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let kim = try await server.person("kim", .operator)
            server.clock.advance(seconds: 601)
            let page = try await kim.confirmation(of: "member.withdrawn", ["user": user.rawValue])
            let developer = try await server.developer()
            #expect(
                try await developer.perform("member.banned", ["user": user.rawValue], ["length": "1h"]).result != nil)
            let former = kim.token
            let fields = [
                "reason": "the player asked", "typed": String(user.rawValue.suffix(4)), "password": kim.password,
                "code": kim.code,
            ]
            let stale = try await kim.submit(page, fields, to: "/do/member.withdrawn")
            #expect(stale.status == 409 && kim.token != former)
            #expect(try stale.form("/do/member.withdrawn").fields["password"] == nil)
            let again = try await kim.submit(
                stale, ["typed": String(user.rawValue.suffix(4))], to: "/do/member.withdrawn")
            #expect(again.status == 303, "\(again.text)")
            #expect(try await kim.get("/console/me").text.contains("kim"))
        }
    }

    @Test("What will happen is shown beside the form, and nothing else is done than what was shown")
    func shown() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let device = TestDevice()
            let user = try await server.guest(device).member.userId
            let kim = try await server.person("kim", .support)
            let address = "/console/apps/game/do/member.banned"
            let page = try await kim.get("\(address)?user=\(user)&length=7d")
            #expect(page.text.contains("Ban \(user)?") && page.html.contains("class=\"consequences\""))
            #expect(try page.form("/do/member.banned").fields["length"] == "7d")
            // Another length, another member, another state, what another form has shown, and nothing that was shown.
            let other = try await server.guest(TestDevice()).member.userId
            let elsewhere =
                try await kim.get("\(address)?user=\(other)").form("/do/member.banned").fields["shown"] ?? ""
            for change in [
                ["length": "30d"], ["user": other.rawValue], ["seen": "x"], ["shown": elsewhere], ["shown": ""],
                ["shown": "x"],
            ] {
                let fields = change.merging(["reason": "aimbot", "ticket": "T-1"]) { $1 }
                let again = try await kim.submit(page, fields, to: "/do/member.banned")
                #expect(again.status == 409 && again.text.contains("This is what will happen now."), "\(change)")
                #expect(try again.form("/do/member.banned").fields["reason"] == "aimbot", "\(change)")
                #expect(try again.form("/do/member.banned").fields["ticket"] == "T-1", "\(change)")
            }
            #expect(try await server.count("SELECT COUNT(*) FROM bans") == 0)
            let changed = try await kim.submit(
                page, ["length": "30d", "reason": "aimbot"], to: "/do/member.banned")
            // What was shown to one person is not confirmed by another.
            let lee = try await server.person("lee", .support)
            let token = try await lee.get("/console/me").form("/me").fields["token"] ?? ""
            let foreign = try changed.form("/do/member.banned").fields.merging(["token": token]) { $1 }
            #expect(try await lee.post("\(address)?user=\(user)", foreign).status == 409)
            #expect(try await kim.follow(kim.submit(changed, to: "/do/member.banned")).result != nil)
            #expect(try await server.logIn(device).code == 7)
        }
    }

    @Test("The part with what will happen is asked for alone: it has no more than the page, and is as well guarded")
    func part() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let kim = try await server.person("kim", .support)
            let check = try await kim.get("/console/apps/game/do/member.banned?user=\(user)").form("/check")
            let ask = ["X-Part": "will"]
            func part(_ fields: [String: String], reached: String = "") async throws -> ConsolePage {
                let sent = check.fields.merging(fields) { $1 }
                return try await kim.post(check.action, sent, headers: ["X-Part": "will \(reached)"])
            }
            let will = try await part(["length": "1d"])
            #expect(will.status == 200 && will.html.hasPrefix("<!doctype html><section class=\"will\""), "\(will.html)")
            #expect(will.text.contains("Ban \(user)?") && will.forms.isEmpty && !will.html.contains("<main"))
            let missing = try await part(["length": "until", "until": ""], reached: "length until")
            #expect(
                missing.status == 200 && missing.html.contains("href=\"#f-until\"") && !missing.html.contains("shown"))
            // An empty field is not complained of before the reader has come to it, and a wrong one at once.
            let early = try await part(["length": "until", "until": ""], reached: "length")
            #expect(
                early.status == 200 && early.forms.isEmpty && !early.html.contains("shown")
                    && early.text.contains("Fill in the form") && !early.html.contains("#f-until"), "\(early.html)")
            #expect(try await part(["length": "until", "until": "x"]).html.contains("#f-until"))
            // The page with the part in the place of its own does what was shown.
            let fields = will.html.matches(of: /name="(once|seen|shown)" value="([^"]*)"/)
                .map { (String($0.output.1), String($0.output.2)) }
            let sent = check.fields.merging(fields) { $1 }.merging(["length": "1d", "reason": "aimbot"]) { $1 }
            #expect(fields.count == 3)
            let action = check.action.replacingOccurrences(of: "/check", with: "")
            #expect(try await kim.post(action, sent).status == 303)

            #expect(
                try await kim.post(check.action, check.fields.merging(["token": "x"]) { $1 }, headers: ask).status
                    == 403)
            let vic = try await server.person("vic", .viewer)
            let token = try await vic.get("/console/me").form("/me").fields["token"] ?? ""
            let refused = try await vic.post(check.action, check.fields.merging(["token": token]) { $1 }, headers: ask)
            #expect(refused.status == 403 && !refused.html.contains("consequences"))
            let elsewhere = check.action.replacingOccurrences(of: "/game/", with: "/other-game/")
            #expect(try await kim.post(elsewhere, check.fields, headers: ask).status == 404)
        }
    }

    @Test("Undo is one press for ten minutes, for who has done it; later, and for others, it is the ordinary page")
    func undo() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let device = TestDevice()
            let user = try await server.guest(device).member.userId
            let (kim, lee) = (try await server.person("kim", .operator), try await server.person("lee", .operator))
            let done = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "1h"])
            let seen = try await lee.get(done.path)
            #expect(seen.links.contains { $0.contains("/do/ban.released?user=") } && (try? seen.form("/undo")) == nil)
            let form = try done.form("/undo")
            let token = try await lee.get("/console/me").form("/me").fields["token"] ?? ""
            let other = try await lee.post(form.action, form.fields.merging(["token": token]) { $1 })
            #expect(other.status == 303 && other.answer.headers[.location]?.contains("/do/ban.released?user=") == true)
            for id in ["", "none", "\u{0}"] {
                #expect(try await kim.post(form.action, form.fields.merging(["of": id]) { $1 }).status == 404)
            }
            #expect(try await kim.post(form.action, form.fields.merging(["token": "x"]) { $1 }).status == 403)
            #expect(try await server.logIn(device).code == 7)

            // What has changed since is not undone: the page says who has changed it.
            #expect(try await lee.perform("ban.changed", ["user": user.rawValue], ["length": "30d"]).result != nil)
            let stale = try await kim.submit(done, to: "/undo")
            #expect(stale.status == 409 && stale.text.contains("lee"), "\(stale.text)")
            #expect(try await server.logIn(device).code == 7)
            #expect(try await lee.perform("ban.released", ["user": user.rawValue]).result != nil)
            let gone = try await kim.submit(done, to: "/undo")
            #expect(gone.status == 400 && gone.text.contains("not banned"), "\(gone.text)")

            let last = try await kim.perform("member.banned", ["user": user.rawValue], ["length": "1h"])
            server.clock.advance(seconds: 601)
            let late = try await kim.submit(last, to: "/undo")
            #expect(late.answer.headers[.location]?.contains("/do/ban.released?user=") == true)
            let later = try await kim.get(last.path)
            #expect((try? later.form("/undo")) == nil && later.links.contains { $0.contains("/do/ban.released?user=") })
            #expect(try await server.logIn(device).code == 7)
        }
    }

    @Test("The last five reasons of a person are offered, and stand for one that is not typed")
    func reasons() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let user = try await server.guest(TestDevice()).member.userId
            let (kim, lee) = (try await server.person("kim", .support), try await server.person("lee", .support))
            let target = ["user": user.rawValue]
            for number in [1, 2, 2, 3, 4, 5, 6] {
                _ = try await kim.perform("member.kicked-out", target, more: ["reason": "reason \(number)"])
            }
            let undone = try await kim.perform("member.banned", target, ["length": "1h"], more: ["reason": "aimbot"])
            _ = try await kim.submit(undone, to: "/undo")
            let page = try await kim.get("/console/apps/game/do/member.banned?user=\(user)")
            let offered = page.html.matches(of: /<option value="((?:reason|aimbot|Undone)[^"]*)"/).map {
                String($0.output.1)
            }
            #expect(offered == ["aimbot", "reason 6", "reason 5", "reason 4", "reason 3"])
            #expect(
                try await !lee.get("/console/apps/game/do/member.banned?user=\(user)").html.contains("earlierReason"))
            let banned = try await kim.submit(page, ["earlierReason": "reason 5"], to: "/do/member.banned")
            #expect(try await kim.follow(banned).text.contains("reason 5"))
        }
    }
}
