import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The pages with which support helps one player, over HTTP.
@Suite struct MemberConsoleTests {
    private static let members = "/console/apps/game/members"

    private static func page(_ user: UserID) -> String { "\(members)/\(user)" }

    private static func find(_ text: String) -> String {
        "/console/apps/game/find?\(ConsolePage.encoded(["q": text]))"
    }

    // MARK: Find

    @Test(
        "UI-FIND-3: the transaction id of a refused login leads to its code, its reason and what to do",
        arguments: Engine.ofDoors)
    func refusedLogin(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .support)
            let refused = try await world.call(
                Endpoints.logIn, Credential(provider: .google, idToken: "a.b.c"), by: TestDevice())
            #expect(refused.code == 3201)
            let id = try #require(refused.headers[HTTPField.Name(HeaderNames.transactionID) ?? .date])
            let page = try await kim.follow(kim.get(Self.find(id)))
            #expect(page.status == 200)
            for text in [
                "code 3201", "AUTH_IDP_LOGIN_FAILED", "credential_rejected", "Google", id, "test the provider",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
            // A person of another app does not see it.
            let elsewhere = try await world.person("lee", .support, in: World.otherApp)
            let own = try await elsewhere.get("/console/apps/other-game/find?q=\(id)")
            #expect(own.status == 200 && !own.text.contains("3201"))
            #expect(try await elsewhere.get(Self.find(id)).status == 404)
        }
    }

    @Test("A banned player's refusal is on the member's page, with the member's name and without an address")
    func bannedLogin() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .support)
            let player = try await world.logIn(.google, "alice")
            _ = try await kim.perform("member.banned", ["user": player.user.rawValue], ["length": "1d"])
            let refused = try await world.call(
                Endpoints.logIn, try world.credential(.google, "alice"), by: TestDevice())
            #expect(refused.code == 7)
            let page = try await kim.get(Self.page(player.user))
            #expect(page.text.contains("No, the login is refused: Banned (code 7)."))
            let link = try #require(page.links.first { $0.contains("/refusals/") })
            let refusal = try await kim.get(link)
            #expect(refusal.links.contains { $0.hasPrefix(Self.page(player.user)) })
            #expect(!refusal.html.contains("127.0.0.1"))
        }
    }

    @Test(
        "UI-FIND-1, UI-FIND-2: an id, its beginning, a subject that was moved and a transfer account lead to their member"
    )
    func find() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .support)
            let former = try await world.logIn(.google, "alice")
            world.clock.advance(seconds: 600)
            let holder = try await world.guestPlayer()
            let account = try await world.issue(for: holder)
            let id = holder.user.rawValue
            for text in [id, id.lowercased(), "\(id.prefix(8)) \(id.suffix(8))", account.id, String(id.prefix(10))] {
                let answer = try await kim.get(Self.find(text))
                #expect(answer.answer.headers[.location] == Self.page(holder.user), "\(text)")
            }
            let ticket = try await world.ticket(.google, "alice", for: holder)
            let forced = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: holder)
            #expect(forced.status == 200)
            let subject = try #require(try await world.report(holder.user).member.mappings.first).subject
            let both = try await kim.get(Self.find("google:\(subject)"))
            #expect(both.text.contains("Has this identity of Google") && both.text.contains("until 2026-11-21"))
            #expect(both.links.contains(Self.page(holder.user)) && both.links.contains(Self.page(former.user)))
            #expect(try await kim.get(Self.find("kim@example.com")).text.contains("no e-mail"))
            for text in ["\"><script>alert(1)</script>", String(repeating: "x", count: 5_000), "\u{0}\u{202e}", "'"] {
                let page = try await kim.get(Self.find(text))
                #expect(page.status == 200 && !page.html.contains("<script>alert"), "\(text.prefix(9))")
            }
        }
    }

    // MARK: List

    @Test("UI-LIST-1: filters of the list are in its address, and each can be removed")
    func filters() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            let alice = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let page = try await kim.get("\(Self.members)?has=google&status=Y&since=2026-11-20T00:00")
            #expect(page.links.contains(Self.page(alice.user)) && !page.links.contains(Self.page(guest.user)))
            #expect(page.links.contains("\(Self.members)?has=google&since=2026-11-20T00%3A00"))
            #expect(try await kim.get("\(Self.members)?lacks=google").links.contains(Self.page(guest.user)))
            let empty = try await kim.get("\(Self.members)?until=2026-11-20T00:00")
            #expect(empty.text.contains("Nothing matches"))
            for wrong in ["status=Z", "has=nobody", "since=yesterday", "before=%00", "since=99999-01-01T00:00"] {
                #expect(try await kim.get("\(Self.members)?\(wrong)").status == 200, "\(wrong)")
            }
        }
    }

    // MARK: One member

    @Test("UI-MEM-2: a viewer sees no subject and no action", arguments: Engine.ofDoors)
    func viewer(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .viewer)
            let alice = try await world.logIn(.google, "alice")
            let subject = try #require(alice.login.member.mappings.first).subject
            let page = try await kim.get(Self.page(alice.user))
            #expect(page.status == 200 && !page.html.contains(subject))
            #expect(!page.links.contains { $0.contains("/do/") })
            #expect((try? page.form("/do/member.noted")) == nil)
            for deed in ["session.ended", "mapping.moved", "transfer.reissued", "withdrawal.cancelled", "member.noted"]
            {
                let answer = try await kim.get(
                    "/console/apps/game/do/\(deed)?user=\(alice.user)&idp=google&session=x")
                #expect(answer.status == 403, "\(deed)")
            }
        }
    }

    @Test("UI-MEM-4: one of two sessions is ended, and the other goes on")
    func session() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .support)
            let phone = try await world.logIn(.google, "alice")
            world.clock.advance(seconds: 60)
            let tablet = try await world.logIn(.google, "alice")
            let page = try await kim.get(Self.page(phone.user))
            let links = page.links.filter { $0.contains("do/session.ended") }
            #expect(links.count == 2)
            let confirmation = try await kim.get(try #require(links.first))
            let done = try await kim.follow(
                kim.submit(confirmation, ["reason": "lost tablet"], to: "/do/session.ended"))
            #expect(done.result?.contains("session has ended") == true)
            #expect(try await world.heartbeat(tablet.device, tablet.access).code == 3011)
            #expect(try await world.heartbeat(phone.device, phone.access).status == 200)
            // The same form again counts once, and the page of the ended session says so.
            let again = try await kim.submit(confirmation, ["reason": "lost tablet"], to: "/do/session.ended")
            #expect(again.status == 400 || again.status == 303)
            #expect(try await kim.get(try #require(links.first)).status == 400)
        }
    }

    @Test(
        "UI-REST-1, UI-REST-2: a forced mapping is undone from the page of the member that lost its identity, unless the other has changed",
        arguments: Engine.ofDoors)
    func restore(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let kim = try await world.person("kim", .support)
            let former = try await world.logIn(.google, "alice")
            let holder = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: holder)
            #expect(try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: holder).status == 200)
            let page = try await kim.follow(kim.get(Self.find(former.user.rawValue)))
            #expect(page.text.contains("Can be undone until 2026-12-21"))
            let undo = try #require(page.links.first { $0.contains("do/member.restored") })
            let stale = try await kim.get(undo)
            for text in [former.user.rawValue, holder.user.rawValue, "becomes the guest", "1 session of"] {
                #expect(stale.text.contains(text), "\(text)")
            }
            let player = try await world.logIn(.google, "alice")
            #expect(player.user == holder.user)
            _ = try await world.mapped(.line, "alice", to: player)
            let refused = try await kim.submit(stale, ["reason": "forced by mistake"], to: "/do/member.restored")
            #expect(refused.status == 409)
            #expect(try await world.report(former.user).member.status == .missing)
            #expect(refused.text.contains("keeps LINE"))
            let done = try await kim.follow(
                kim.submit(refused, ["reason": "forced by mistake"], to: "/do/member.restored"))
            #expect(done.result?.contains("Restored") == true)
            #expect(done.result?.contains("Other member: \(holder.user)") == true)
            #expect(try await world.logIn(.google, "alice").user == former.user)
            #expect(try await world.report(holder.user).member.mappings.map(\.provider) == [.line])
            #expect(try await kim.get(Self.page(holder.user)).text.contains(former.user.rawValue))
        }
    }

    @Test("UI-ACT-4: the last identity is not removed; moved, its member becomes missing, and the move can be undone")
    func mapping() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .operator)
            let alice = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let query = ["user": alice.user.rawValue, "idp": "google"]
            let refused = try await kim.confirmation(of: "mapping.removed", query)
            #expect(refused.status == 400 && refused.text.contains("last identity"))
            for (to, text) in [("x", "not a User ID"), (alice.user.rawValue, "another member")] {
                let page = try await kim.confirmation(of: "mapping.moved", query, ["to": to])
                #expect(page.status == 422 && page.problem("to")?.contains(text) == true, "\(to)")
            }
            let preview = try await kim.confirmation(of: "mapping.moved", query, ["to": guest.user.rawValue])
            #expect(preview.text.contains("can be restored for 30 days") && preview.text.contains("guest login ends"))
            let done = try await kim.follow(
                kim.submit(preview, ["reason": "asked by mail"], to: "/do/mapping.moved"))
            #expect(done.result?.contains("moved") == true)
            #expect(try await world.logIn(.google, "alice").user == guest.user)
            // From the other side the same is undone.
            let other = try await kim.get(Self.page(guest.user))
            let undo = try #require(other.links.first { $0.contains("undo-move") })
            let address = try await kim.get(undo).answer.headers[.location] ?? ""
            #expect(address.hasSuffix("do/member.restored?user=\(alice.user)"))
            let list = try await kim.get("\(Self.page(alice.user))?by=operator")
            #expect(list.text.contains("was moved away") && !list.text.contains("Registered with"))
        }
    }

    @Test("UI-MEM-6: a reissued transfer password is shown once, and the old one is over")
    func transfer() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .support)
            let guest = try await world.guestPlayer()
            let old = try await world.issue(for: guest)
            let query = ["user": guest.user.rawValue]
            let confirmation = try await kim.confirmation(of: "transfer.reissued", query, ["kind": "password"])
            let secret = try await kim.submit(
                confirmation, ["reason": "lost the paper"], to: "/do/transfer.reissued")
            #expect(secret.status == 200)
            let codes = secret.html.matches(of: /<dd><code><bdi>([^<]+)<\/bdi><\/code><\/dd>/).map {
                String($0.output.1)
            }
            #expect(codes.first == old.id && codes.count == 2)
            let password = try #require(codes.last)
            // The same form again tells no secret.
            let again = try await kim.submit(
                confirmation, ["reason": "lost the paper"], to: "/do/transfer.reissued")
            #expect(again.status == 303 && !again.html.contains(password))
            #expect(try await !kim.get(Self.page(guest.user)).html.contains(password))
            #expect(try await world.redeem(old, on: TestDevice()).code == 3044)
            let unblocked = try await kim.perform("transfer.unblocked", query)
            #expect(unblocked.result?.contains("unblocked") == true)
            let device = TestDevice()
            #expect(try await world.redeem(old.id, password, on: device).status == 200)
            #expect(try await kim.perform("transfer.voided", query).status == 200)
            #expect(try await world.redeem(old.id, password, on: TestDevice()).code == 3043)
        }
    }

    @Test("UI-MEM-7: a note shows what was typed and nothing else, counts once, and goes with its member")
    func note() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .support)
            let alice = try await world.logIn(.google, "alice")
            let page = try await kim.get(Self.page(alice.user))
            let text = "asks \"often\"\u{301} <img src=x onerror=alert(1)>\n한국어"
            let form = try page.form("/do/member.noted")
            for _ in 0..<2 {
                let answer = try await kim.post(form.action, form.fields.merging(["text": text]) { $1 })
                #expect(answer.status == 303)
            }
            let noted = try await kim.get(Self.page(alice.user))
            #expect(!noted.html.contains("<img") && noted.text.contains("한국어"))
            #expect(noted.html.matches(of: /<article class="note">/).count == 1)
            let edit = try noted.form("/do/member.note-edited")
            #expect(edit.fields["text"]?.hasSuffix("onerror=alert(1)>\n한국어") == true)
            for _ in 0..<2 {
                let answer = try await kim.post(edit.action, edit.fields.merging(["text": "<b>calm</b> now"]) { $1 })
                #expect(answer.status == 303)
            }
            let fresh = try await kim.get(Self.page(alice.user)).form("/do/member.noted")
            let second = fresh.fields.merging(["text": "second note"]) { $1 }
            #expect(try await kim.post(form.action, second).status == 303)
            let changed = try await kim.get(Self.page(alice.user))
            #expect(!changed.html.contains("<b>") && changed.text.contains("<b>calm</b> now"))
            #expect(changed.html.matches(of: /<div class="earlier">/).count == 1 && changed.text.contains("한국어"))
            let order = { (page: ConsolePage) in
                page.html.matches(of: /<p><bdi>(second note|&lt;b&gt;calm)/).map { String($0.output.1) }
            }
            #expect(order(changed) == ["second note", "&lt;b&gt;calm"])
            let pin = try #require(changed.forms.last { $0.action.hasSuffix("/do/member.note-pinned") })
            #expect(try await kim.post(pin.action, pin.fields).status == 303)
            #expect(order(try await kim.get(Self.page(alice.user))) == ["&lt;b&gt;calm", "second note"])
            let viewer = try await world.person("vic", .viewer)
            #expect(try await !viewer.get(Self.page(alice.user)).forms.contains { $0.action.contains("note") })
            #expect(try await viewer.post(pin.action, pin.fields).status == 403)
            try await world.run(WithdrawMember(user: alice.user), reason: "asked")
            let gone = try await kim.get(Self.page(alice.user))
            #expect(gone.status == 200 && !gone.html.contains("한국어</bdi>") && !gone.html.contains("alice"))
            let left = try await world.database.read { tx in
                try ["member_notes", "member_note_versions"].map { (table: SQL) in
                    try tx.first("SELECT COUNT(*) FROM \(table)") { row in try row[0] as Int }
                }
            }
            #expect(left == [0, 0])
        }
    }

    @Test("A withdrawal that is pending is taken back, and its page refuses one that is not")
    func withdrawal() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .support)
            let alice = try await world.logIn(.google, "alice")
            let query = ["user": alice.user.rawValue]
            #expect(try await kim.confirmation(of: "withdrawal.cancelled", query).status == 400)
            #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: alice).status == 200)
            let page = try await kim.get(Self.page(alice.user))
            #expect(page.text.contains("unless the deletion is cancelled"))
            #expect(try await kim.perform("withdrawal.cancelled", query).result?.contains("cancelled") == true)
            #expect(try await world.report(alice.user).member.status == .normal)
        }
    }

    @Test("UI-MEM-5: a shared device leads to its members, and two members are compared", arguments: Engine.ofDoors)
    func devices(engine: Engine) async throws {
        try await World.openConsole(on: engine) { world in
            let (kim, viewer) = (try await world.person("kim", .support), try await world.person("vic", .viewer))
            let device = TestDevice()
            let guest = try await world.guest(device).member.userId
            let alice = try await world.logIn(.google, "alice", on: device)
            let bob = try await world.logIn(.google, "bob")
            let page = try await kim.get(Self.page(alice.user))
            #expect(page.text.contains("Shares the device with 1 member"))
            let link = try #require(page.links.first { $0.contains("/devices/") })
            #expect(link.hasSuffix(device.thumbprint.rawValue))
            let members = try await kim.get(link)
            #expect(members.links.contains(Self.page(alice.user)) && members.links.contains(Self.page(guest)))
            #expect(!members.links.contains(Self.page(bob.user)))
            let found = try await kim.follow(kim.get(Self.find(device.thumbprint.rawValue)))
            #expect(found.path == link)
            #expect(try await viewer.get(link).status == 403)
            let masked = try await viewer.get(Self.page(alice.user))
            #expect(
                masked.text.contains("Shares the device with 1") && !masked.html.contains(device.thumbprint.rawValue))

            let compare = "\(Self.page(alice.user))/compare"
            let both = try await kim.get("\(compare)?with=\(guest.rawValue.lowercased())")
            #expect(both.status == 200 && both.links.contains(link) && both.links.contains(Self.page(guest)))
            #expect(!both.text.contains("alice"))
            #expect(try await kim.get("\(compare)?with=\(bob.user)").text.contains("share no device"))
            #expect(try await kim.get("\(compare)?with=NOBODY").problem("with") != nil)
            #expect(try await kim.get("\(compare)?with=\(alice.user)").problem("with") != nil)
            #expect(try await kim.get(compare).status == 200)
        }
    }

    @Test("The page as text has what a ticket needs, and no subject, key or note")
    func text() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let (kim, viewer) = (try await world.person("kim", .support), try await world.person("vic", .viewer))
            let device = TestDevice()
            let alice = try await world.logIn(.google, "alice", on: device)
            _ = try await kim.perform("member.banned", ["user": alice.user.rawValue], ["length": "3d"])
            let form = try await kim.get(Self.page(alice.user)).form("/do/member.noted")
            _ = try await kim.post(form.action, form.fields.merging(["text": "secret note"]) { $1 })
            let link = try #require(try await kim.get(Self.page(alice.user)).links.first { $0.hasSuffix("/text") })
            let page = try await kim.get(link)
            #expect(page.answer.headers[.contentType] == "text/plain; charset=utf-8")
            for text in [alice.user.rawValue, "Google", "a reason of the tests", "Banned"] {
                #expect(page.html.contains(text), "\(text)")
            }
            for text in ["alice", device.thumbprint.rawValue, "secret note", "<"] {
                #expect(!page.html.contains(text), "\(text)")
            }
            #expect(try await viewer.get(link).status == 403)
        }
    }

    @Test("UI-LINE-3: the timeline is filtered by who has acted, by what and by range, and the address keeps it")
    func timeline() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let alice = try await world.logIn(.google, "alice")
            world.clock.advance(seconds: 3 * 86_400)
            let kim = try await world.person("kim", .support)
            let sofar = Date(timeIntervalSince1970: Double(world.clock.now.milliseconds / 1_000 - 86_400))
            let moment = String(sofar.formatted(.iso8601).prefix(16))
            _ = try await kim.perform("member.banned", ["user": alice.user.rawValue], ["length": "1d"])
            func rows(_ query: [String: String]) async throws -> (page: ConsolePage, count: Int) {
                let page = try await kim.get("\(Self.page(alice.user))?\(ConsolePage.encoded(query))")
                let part = page.html.range(of: "id=\"timeline\"").map { String(page.html[$0.lowerBound...]) } ?? ""
                return (page, max(0, part.matches(of: /<tr>/).count - 1))
            }
            let all = try await rows([:]).count
            let late = try await rows(["since": moment])
            let early = try await rows(["until": moment])
            #expect(late.count == 1 && early.count == all - 1 && early.count > 0)
            let operators = try #require(late.page.links.first { $0.contains("by=operator") })
            #expect(operators.contains("since="))
            #expect(try await rows(["since": moment, "by": "player"]).count == 0)
            let bans = try await rows(["about": "bans"])
            #expect(bans.count == 1 && bans.page.html.contains("<option value=\"bans\" selected>"))
            #expect(bans.page.links.contains { $0.contains("about=bans") && $0.contains("by=player") })
            #expect(try await rows(["about": "bans", "until": moment]).count == 0)
            #expect(try await rows(["about": "identities"]).count == all - 1)
            #expect(try await rows(["about": "nonsense"]).count == all)
            #expect(try await rows(["until": moment, "by": "operator"]).count == 0)
            #expect(try await rows(["since": "x"]).page.problem("since") != nil)
        }
    }

    @Test("UI-LIST-5: the size of lists is kept with the person, over a sign-out")
    func listSize() async throws {
        try await World.openConsole(on: .sqlite) { world in
            let kim = try await world.person("kim", .viewer)
            for _ in 0..<26 { _ = try await world.guest(TestDevice()) }
            let count = { (page: ConsolePage) in page.html.matches(of: /<tr>/).count - 1 }
            #expect(count(try await kim.get(Self.members)) == 25)
            let saved = try await kim.submit(kim.get("/console/me"), ["rows": "50"], to: "/console/me")
            #expect(saved.status == 303)
            #expect(count(try await kim.get(Self.members)) == 26)
            _ = try await kim.submit(kim.get("/console/me"), to: "/console/sign-out")
            #expect(try await kim.signIn().status == 303)
            #expect(count(try await kim.get(Self.members)) == 26)
        }
    }
}
