import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Every change is a form, a confirmation and a result.
@Suite struct DeedConsoleTests {
    @Test(
        "A ban by form, confirmation and result; sent again it is not done again, and *Undo* releases it",
        arguments: Engine.ofDoors)
    func once(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let device = TestDevice()
            let user = try await world.guest(device).member.userId
            let kim = try await world.person("kim", .support)
            let page = try await kim.confirmation(of: "member.banned", ["user": user.rawValue], ["length": "3d"])
            #expect(page.status == 200 && page.text.contains(user.rawValue))
            #expect(try await world.logIn(device).status == 200)
            let reason = ["reason": "aimbot\r\nin two rounds", "ticket": "T-1"]
            let first = try await kim.submit(page, reason, to: "/do/member.banned")
            let done = try await kim.follow(first)
            #expect(done.result != nil, "\(done.text)")
            #expect(try await world.logIn(device).code == 7)
            #expect(done.text.contains("aimbot") && !done.html.contains("U+000D"))
            let second = try await kim.submit(page, reason, to: "/do/member.banned")
            #expect(second.status == 303 && second.answer.headers[.location] == first.answer.headers[.location])
            let undo = try #require(done.links.first { $0.contains("/do/ban.released") })
            let confirmation = try await kim.get(undo)
            let released = try await kim.submit(confirmation, ["reason": "the wrong one"], to: "/do/ban.released")
            #expect(try await kim.follow(released).result != nil)
            #expect(try await world.logIn(device).status == 200)
            // The page of the ban, sent a third time, still tells what came of it.
            #expect(try await kim.submit(page, reason, to: "/do/member.banned").status == 303)
            #expect(try await world.logIn(device).status == 200)
            let actions = try await world.database.read { tx in
                try tx.rows("SELECT action, reason FROM operator_actions ORDER BY entry_id") { row in
                    "\(try row[0] as String) \(try row[1] as String)"
                }
            }
            #expect(actions == ["member.banned aimbot\nin two rounds", "ban.released the wrong one"])
        }
    }

    @Test("What has changed meanwhile is shown with who changed it, and confirmed again")
    func stale() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let (kim, lee) = (try await world.person("kim", .operator), try await world.person("lee", .operator))
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

    @Test("A form that was filled in wrongly says so at its field, with all that was typed")
    func problems() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let kim = try await world.person("kim", .support)
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
            let count = try await world.database.read { tx in
                try tx.first("SELECT COUNT(*) FROM operator_actions") { row in try row[0] as Int }
            }
            #expect(count == 0)
        }
    }

    @Test("A dangerous change takes a sign-in of the last ten minutes and the typed word, and renews the session")
    func elevation() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let users = [
                try await world.guest(TestDevice()).member.userId, try await world.guest(TestDevice()).member.userId,
            ]
            let kim = try await world.person("kim", .operator)
            let query = ["user": users[0].rawValue]
            let fresh = try await kim.confirmation(of: "member.withdrawn", query)
            #expect(try fresh.form("/do/member.withdrawn").fields["password"] == nil)
            world.clock.advance(seconds: 601)
            let page = try await kim.confirmation(of: "member.withdrawn", query)
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
            let old = ConsoleBrowser(world: world, person: "kim", cookie: former)
            #expect((try? await old.get("/console/me").form("/sign-in")) != nil)
            // A person who has just signed in is not asked again.
            let next = try await kim.confirmation(of: "member.withdrawn", ["user": users[1].rawValue])
            #expect(try next.form("/do/member.withdrawn").fields["password"] == nil)
        }
    }

    @Test("Who signs in for a change that has become impossible stays signed in")
    func elevatedFailure() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let kim = try await world.person("kim", .operator)
            world.clock.advance(seconds: 601)
            let page = try await kim.confirmation(of: "member.withdrawn", ["user": user.rawValue])
            let developer = try await world.developer()
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
}
