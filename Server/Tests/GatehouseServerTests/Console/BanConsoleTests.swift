import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// Bans, their texts, grace bans and withdrawals.
@Suite struct BanConsoleTests {
    private static let lists = "/console/apps/\(World.app)"

    @Test(
        "Several members are banned at once, each with its fate before; a ban is then changed and released",
        arguments: Engine.ofDoors)
    func several(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (one, two) = (TestDevice(), TestDevice())
            let users = [try await world.guest(one).member.userId, try await world.guest(two).member.userId]
            let kim = try await world.person("kim", .operator)
            #expect(try await kim.perform("member.banned", ["user": users[1].rawValue], ["length": "1d"]).result != nil)
            let typed = "\(users[0])\n\(users[1])\r\nAAAAAAAAAAAAAAAA, \(users[0].rawValue.lowercased())"
            let none = try await kim.confirmation(of: "members.banned", [:], ["users": users[1].rawValue])
            #expect(none.status == 422 && none.problem("users") != nil)
            let page = try await kim.confirmation(of: "members.banned", [:], ["users": typed, "length": "3d"])
            #expect(page.status == 200 && page.text.contains("Ban 1 member?"), "\(page.text)")
            #expect(page.text.contains("Banned already") && page.text.contains("Unknown"))
            #expect(try await world.logIn(one).status == 200)
            let untyped = try await kim.submit(page, ["reason": "aimbot ring"], to: "/do/members.banned")
            #expect(untyped.status == 422 && untyped.problem("typed") != nil)
            let done = try await kim.submit(page, ["reason": "aimbot ring", "typed": "1"], to: "/do/members.banned")
            let list = try await kim.follow(done)
            #expect(
                list.result == "1 member is banned. 2 left out: 1 unknown, 1 banned already. Undo"
                    && list.text.contains("aimbot ring"))
            #expect(try await kim.submit(page, ["reason": "aimbot ring"], to: "/do/members.banned").status == 303)
            #expect(try await world.logIn(one).code == 7)
            #expect(try await world.count("SELECT COUNT(*) FROM bans") == 2)
            let user = ["user": users[0].rawValue]
            let changed = try await kim.perform("ban.changed", user, ["length": "1h"])
            #expect(changed.result == "The ban has its new end.", "\(changed.text)")
            world.clock.advance(seconds: 3_601)
            #expect(try await world.logIn(one).status == 200)
            let lee = try await world.person("lee", .operator)
            let over = try await lee.get("\(Self.lists)/bans?state=over&reason=AIMBOT&by=ki")
            #expect(over.text.contains(users[0].rawValue) && !over.text.contains(users[1].rawValue))
            #expect(try await lee.get("\(Self.lists)/bans?state=released").text.contains("Nothing matches"))
        }
    }

    @Test("Support bans no longer than its limit, sees how long, and has no link to the bans of others")
    func support() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let (kim, lee) = (try await world.person("kim", .support), try await world.person("lee", .support))
            for length in ["for-good", "until"] {
                let page = try await kim.confirmation(
                    of: "member.banned", ["user": user.rawValue], ["length": length, "until": "2027-11-21T00:00"])
                #expect(page.status == 422 && page.problem("length")?.contains("30 days") == true)
            }
            #expect(try await kim.perform("member.banned", ["user": user.rawValue], ["length": "30d"]).result != nil)
            #expect(try await kim.get("\(Self.lists)/bans").links.contains { $0.contains("/do/ban.released") })
            #expect(try await !lee.get("\(Self.lists)/bans").links.contains { $0.contains("/do/ban.released") })
            #expect(try await kim.get("\(Self.lists)/bans").html.contains(">Release</a>"))
            let path = "\(Self.lists)/members/\(user)"
            #expect(try await kim.get(path).links.contains { $0.contains("/do/ban.released") })
            let foreign = try await lee.get(path).links
            #expect(!foreign.contains { $0.contains("/do/ban.released") || $0.contains("/do/ban.changed") })
            // The page that would ask for a reason is refused already.
            for deed in ["ban.released", "ban.changed"] {
                #expect(try await lee.confirmation(of: deed, ["user": user.rawValue]).status == 403, "\(deed)")
            }
            #expect(try await !lee.get("\(Self.lists)/do/member.banned?user=\(user)").html.contains("for-good"))
            #expect(try await lee.perform("ban.released", ["user": user.rawValue]).status == 403)
            #expect(try await lee.perform("ban.changed", ["user": user.rawValue], ["length": "1h"]).status == 403)
            #expect(try await kim.get("\(Self.lists)/do/members.banned").status == 403)
            let viewer = try await world.person("vic", .viewer)
            #expect(try await viewer.get("\(Self.lists)/bans").status == 200)
            #expect(try await viewer.get("\(Self.lists)/audit").status == 403)
            // Support reads its own deeds, and an operator reads all.
            let own = try await lee.get("\(Self.lists)/audit")
            #expect(own.status == 200 && !own.text.contains(user.rawValue))
            let audit = try await world.person("max", .operator).get("\(Self.lists)/audit?by=kim")
            #expect(audit.text.contains(user.rawValue) && audit.text.contains("Normal → Banned"), "\(audit.text)")
        }
    }

    @Test("A text is made and edited, and says how many players read it", arguments: Engine.ofDoors)
    func templates(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let device = TestDevice()
            let user = try await world.guest(device).member.userId
            let kim = try await world.person("kim", .operator)
            let made = try await kim.perform(
                "template.created", [:],
                ["template": "7", "name": "cheats", "text.en": "No <cheats>.", "text.ko": "정지"])
            #expect(made.result == "The text is there. Undo", "\(made.text)")
            let taken = try await kim.confirmation(
                of: "template.created", [:], ["template": "7", "name": "x", "text.en": "x"])
            #expect(taken.status == 422 && taken.problem("template") != nil)
            #expect(
                try await kim.perform(
                    "member.banned", ["user": user.rawValue], ["length": "1d", "template": "7"]
                ).result != nil)
            #expect(try await world.logIn(device).error?.message == "No <cheats>.")
            let page = try await kim.confirmation(of: "template.edited", ["template": "7"], ["text.en": "Cheats!"])
            #expect(page.text.contains("1 player who is banned now will read it."), "\(page.text)")
            let other = try await kim.confirmation(of: "template.edited", ["template": "7"], ["text.en": "Fair play!"])
            let edited = try await kim.submit(page, ["reason": "a shorter one"], to: "/do/template.edited")
            #expect(try await kim.follow(edited).result == "The text is changed. Undo")
            #expect(try await world.logIn(device).error?.message == "Cheats!")
            let stale = try await kim.submit(other, ["reason": "a nicer one"], to: "/do/template.edited")
            #expect(stale.status == 409)

            let archived = try await kim.perform("template.archived", ["template": "7"])
            #expect(archived.result == "The text is archived. Undo" && archived.text.contains("archived"))
            let form = try await kim.get("\(Self.lists)/do/member.banned?user=\(user)")
            #expect(!form.html.contains("value=\"7\""))
            let another = try await world.guest(TestDevice()).member.userId
            let refused = try await kim.perform(
                "member.banned", ["user": another.rawValue], ["length": "1d", "template": "7"])
            #expect(refused.status == 422 && refused.problem("template")?.contains("archived") == true)
            #expect(try await world.logIn(device).error?.message == "Cheats!")
            #expect(try await kim.get("\(Self.lists)/do/template.archived?template=7").status == 400)
            let undo = try #require(archived.links.first { $0.contains("/do/template.restored?") })
            _ = try await kim.follow(kim.submit(kim.get(undo), ["reason": "still in use"], to: "/do/template.restored"))
            #expect(try await kim.get("\(Self.lists)/do/member.banned?user=\(user)").html.contains("value=\"7\""))
        }
    }

    @Test("A grace ban begins, a payment is recorded, and the last one releases it", arguments: Engine.ofDoors)
    func graceBan(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let user = try await world.guest(TestDevice()).member.userId
            let kim = try await world.person("kim", .operator)
            let wrong = try await kim.confirmation(
                of: "grace-ban.begun", [:], ["user": "nobody", "days": "0", "amount": "x", "message": ""])
            #expect(wrong.status == 422 && wrong.problem("days") != nil && wrong.problem("message") != nil)
            // One that the form does not say by itself is said with the others.
            #expect(wrong.problem("user") != nil)
            // What is wrong is listed in the order of the form, and not by the names of its fields.
            let listed = wrong.html.matches(of: /href="#f-([a-z.-]+)"/).map { String($0.output.1) }
            let places = listed.compactMap { wrong.html.range(of: "id=\"f-\($0)\"")?.lowerBound }
            #expect(listed.count > 1 && places.count == listed.count && places == places.sorted(), "\(listed)")
            let begun = try await kim.perform(
                "grace-ban.begun", [:],
                ["user": user.rawValue, "days": "7", "count": "2", "amount": "50000", "message": "Please pay."])
            #expect(begun.result?.hasPrefix("The grace ban has begun.") == true, "\(begun.text)")
            #expect(try await kim.get("\(Self.lists)/audit").html.contains("<ins>begun</ins>"))
            let payment = { (id: String, amount: String) in
                try await kim.perform(
                    "grace-ban.payment-recorded", ["user": user.rawValue], ["payment": id, "amount": amount])
            }
            let one = try await payment("p-1", "30,000")
            #expect(one.text.contains("1 / 2") && one.text.contains("30,000 / 50,000 KRW"), "\(one.text)")
            #expect(try await payment("p-2", "20000").result != nil)
            #expect(try await kim.get("\(Self.lists)/grace-bans").text.contains("No grace ban is in effect"))
            #expect(try await kim.get("\(Self.lists)/grace-bans?state=all").text.contains("Released"))
            #expect(try await kim.perform("grace-ban.released", ["user": user.rawValue]).status == 400)
        }
    }

    @Test("Withdrawals are pending until their moment, and then only their ids are left")
    func withdrawals() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let device = TestDevice()
            let player = Player(device: device, login: try await world.guest(device))
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            let kim = try await world.person("kim", .viewer)
            let pending = try await kim.get("\(Self.lists)/withdrawals")
            #expect(pending.text.contains(player.user.rawValue) && pending.text.contains("No account was deleted yet."))
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            let done = try await kim.get("\(Self.lists)/withdrawals")
            #expect(done.text.contains("Nobody waits to be deleted.") && done.text.contains("By the player"))
        }
    }
}
