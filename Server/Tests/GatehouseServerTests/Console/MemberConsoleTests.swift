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
        "/console/find?\(ConsolePage.encoded(["app": TestServer.app.rawValue, "q": text]))"
    }

    // MARK: Find

    @Test(
        "UI-FIND-3: the transaction id of a refused login leads to its code, its reason and what to do",
        arguments: Engine.ofDoors)
    func refusedLogin(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .support)
            let refused = try await server.call(
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
            let elsewhere = try await server.person("lee", .support, in: TestServer.otherApp)
            for path in ["/console/find?app=other-game&q=\(id)", Self.find(id)] {
                let own = try await elsewhere.get(path)
                #expect(own.status == 200 && own.text.contains("Nothing found") && !own.text.contains("3201"))
            }
        }
    }

    @Test("A banned player's refusal is on the member's page, with the member's name and without an address")
    func bannedLogin() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let player = try await server.logIn(.google, "alice")
            _ = try await kim.perform("member.banned", ["user": player.user.rawValue], ["length": "1d"])
            let refused = try await server.call(
                Endpoints.logIn, try server.credential(.google, "alice"), by: TestDevice())
            #expect(refused.code == 7)
            let page = try await kim.get(Self.page(player.user))
            #expect(page.text.contains("No, the login is refused: Banned (code 7)."))
            let link = try #require(page.links.first { $0.contains("/refusals/") })
            let refusal = try await kim.get(link)
            #expect(refusal.links.contains { $0.hasPrefix(Self.page(player.user)) })
            #expect(!refusal.html.contains("127.0.0.1"))
        }
    }

    @Test("UI-FIND-1, UI-FIND-2: what is found of one member leads to it, what is found of several is a list")
    func find() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let former = try await server.logIn(.google, "alice")
            let holder = try await server.guestPlayer()
            let answer = try await kim.get(Self.find(holder.user.rawValue.lowercased()))
            #expect(answer.answer.headers[.location] == Self.page(holder.user))
            let ticket = try await server.ticket(.google, "alice", for: holder)
            let forced = try await server.call(Endpoints.forceMapping, TicketUse(ticket), by: holder)
            #expect(forced.status == 200)
            let subject = try #require(try await server.report(holder.user).member.mappings.first).subject
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
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let alice = try await server.logIn(.google, "alice")
            let guest = try await server.guestPlayer()
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

    @Test("UI-MEM-2: a viewer sees no subject and no action")
    func viewer() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let alice = try await server.logIn(.google, "alice")
            let subject = try #require(alice.login.member.mappings.first).subject
            let page = try await kim.get(Self.page(alice.user))
            #expect(page.status == 200 && !page.html.contains(subject))
            #expect(!page.links.contains { $0.contains("/do/") })
            #expect((try? page.form("/do/member.noted")) == nil)
        }
    }

    @Test(
        "UI-REST-1, UI-REST-2: the page of a member that lost its identity offers it back, and the result names the other",
        arguments: Engine.ofDoors)
    func restore(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let kim = try await server.person("kim", .support)
            let former = try await server.logIn(.google, "alice")
            let holder = try await server.guestPlayer()
            let ticket = try await server.ticket(.google, "alice", for: holder)
            #expect(try await server.call(Endpoints.forceMapping, TicketUse(ticket), by: holder).status == 200)
            let page = try await kim.follow(kim.get(Self.find(former.user.rawValue)))
            #expect(page.text.contains("Can be undone until 2026-12-21"))
            #expect(page.text.contains("Lost Google to \(holder.user) ·"))
            #expect(page.links.contains { $0.contains("/compare?with=\(holder.user)") })
            let other = try await kim.get(Self.page(holder.user))
            #expect(other.text.contains("Took Google from \(former.user) ·"))
            #expect(other.links.contains { $0.hasSuffix("user=\(former.user)") && $0.contains("do/member.restored?") })
            let viewer = try await server.person("vic", .viewer).get(Self.page(holder.user))
            #expect(viewer.text.contains("Took Google from") && !viewer.links.contains { $0.contains("/do/") })
            let undo = try #require(page.links.first { $0.contains("do/member.restored") })
            let asked = try await kim.get(undo)
            // The reason is known, and can be changed.
            let reason = try asked.form("/do/member.restored").fields["reason"]
            #expect(reason == "The identity was moved by mistake.")
            for text in [former.user.rawValue, holder.user.rawValue, "becomes the guest", "1 session of"] {
                #expect(asked.text.contains(text), "\(text)")
            }
            let done = try await kim.follow(
                kim.submit(asked, ["reason": "forced by mistake"], to: "/do/member.restored"))
            #expect(done.result?.contains("Restored") == true)
            #expect(done.result?.contains("Other member: \(holder.user)") == true)
            let after = try await kim.get(Self.page(holder.user))
            #expect(after.text.contains(former.user.rawValue) && !after.html.contains("class=\"notice warn move\""))
        }
    }

    @Test("UI-ACT-4: the page of a member that an identity was moved to leads to what undoes the move")
    func undoneMove() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let alice = try await server.logIn(.google, "alice")
            let guest = try await server.guestPlayer()
            let query = ["user": alice.user.rawValue, "idp": "google"]
            let refused = try await kim.confirmation(of: "mapping.removed", query)
            #expect(refused.status == 400 && refused.text.contains("last identity"))
            let done = try await kim.perform("mapping.moved", query, ["to": guest.user.rawValue])
            #expect(done.result?.contains("moved") == true)
            let other = try await kim.get(Self.page(guest.user))
            let undo = try #require(other.links.first { $0.contains("undo-move") })
            let address = try await kim.get(undo).answer.headers[.location] ?? ""
            #expect(address.hasSuffix("do/member.restored?user=\(alice.user)"))
            let list = try await kim.get("\(Self.page(alice.user))?by=operator")
            #expect(list.text.contains("was moved away") && !list.text.contains("Registered with"))
        }
    }

    @Test("UI-MEM-7: a note shows what was typed and nothing else, counts once, and is edited and pinned")
    func note() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let alice = try await server.logIn(.google, "alice")
            let page = try await kim.get(Self.page(alice.user))
            let text = "asks \"often\"\u{301} <img src=x onerror=alert(1)>\n한국어"
            let form = try page.form("/do/member.noted")
            func opened(_ text: String) async throws -> ConsolePage {
                let page = try await kim.get(Self.page(alice.user))
                let part = try #require(page.html.range(of: text)).upperBound
                let links = ConsolePage.links(in: String(page.html[part...]))
                return try await kim.get(try #require(links.first { $0.contains("edit=") }))
            }
            for _ in 0..<2 {
                let answer = try await kim.post(form.action, form.fields.merging(["text": text]) { $1 })
                #expect(answer.status == 303)
            }
            let noted = try await kim.get(Self.page(alice.user))
            #expect(!noted.html.contains("<img") && noted.text.contains("한국어"))
            #expect(noted.html.matches(of: /<article class="note">/).count == 1)
            #expect((try? noted.form("/do/member.note-edited")) == nil)
            let edit = try await opened("한국어").form("/do/member.note-edited")
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
            let pin = try await opened("&lt;b&gt;calm").form("/do/member.note-pinned")
            #expect(try await kim.post(pin.action, pin.fields).status == 303)
            // It stands on the card, and stays in its place among everything that happened.
            let pinned = try await kim.get(Self.page(alice.user))
            #expect(order(pinned) == ["&lt;b&gt;calm", "second note", "&lt;b&gt;calm"])
            let unpin = try await opened("&lt;b&gt;calm")
            #expect(try unpin.form("/do/member.note-pinned").fields["pinned"] == "")
            #expect(unpin.forms.filter { $0.action.hasSuffix("/do/member.note-edited") }.count == 1)
            let viewer = try await server.person("vic", .viewer)
            for address in [Self.page(alice.user), "\(Self.page(alice.user))?edit=\(pin.fields["note"] ?? "")"] {
                #expect(try await !viewer.get(address).forms.contains { $0.action.contains("note") })
            }
            #expect(try await viewer.post(pin.action, pin.fields).status == 403)
        }
    }

    @Test("UI-MEM-5: a shared device leads to its members, and two members are compared", arguments: Engine.ofDoors)
    func devices(engine: Engine) async throws {
        try await TestServer.openConsole(on: engine) { server in
            let (kim, viewer) = (try await server.person("kim", .support), try await server.person("vic", .viewer))
            let device = TestDevice()
            let guest = try await server.guest(device).member.userId
            let alice = try await server.logIn(.google, "alice", on: device)
            let bob = try await server.logIn(.google, "bob")
            let page = try await kim.get(Self.page(alice.user))
            #expect(page.text.contains("Shares the device with 1 member"))
            #expect(page.links.filter { $0.contains("do/session.kicked-out") }.count == 1)
            let link = try #require(page.links.first { $0.contains("/devices/") })
            #expect(link.hasSuffix(device.thumbprint.rawValue))
            let members = try await kim.get(link)
            #expect(members.links.contains(Self.page(alice.user)) && members.links.contains(Self.page(guest)))
            #expect(!members.links.contains(Self.page(bob.user)))
            #expect(try await kim.get(Self.find(device.thumbprint.rawValue)).answer.headers[.location] == link)
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
        }
    }

    @Test("The timeline tells a transfer key from a transfer account, and the card says once that the member is banned")
    func saidOnce() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .operator)
            let (one, other) = (try await server.guestPlayer(), try await server.guestPlayer())
            let key = TransferKeyRequest(validSeconds: 60)
            #expect(try await server.call(Endpoints.issueTransferKey, key, by: one).status == 200)
            _ = try await server.issue(for: other)
            for (player, issued) in [(one, "Transfer key issued"), (other, "Transfer account issued")] {
                for path in [Self.page(player.user), "\(Self.page(player.user))/text"] {
                    let text = try await kim.get(path).text
                    #expect(text.contains(issued), "\(text)")
                    #expect(text.ranges(of: #/Transfer (?:key|account) issued/#).count == 1, "\(text)")
                }
            }
            for (length, sentence) in [("3d", "Banned Until 20"), ("for-good", "Banned Permanently: “a reason")] {
                let user = length == "3d" ? one.user : other.user
                _ = try await kim.perform("member.banned", ["user": user.rawValue], ["length": length])
                let page = try await kim.get(Self.page(user))
                #expect(page.text.contains(sentence) && !page.text.contains("Banned Banned"), "\(page.text)")
            }
        }
    }

    @Test("The page as text has what a ticket needs, and no subject, key or note")
    func text() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (kim, viewer) = (try await server.person("kim", .support), try await server.person("vic", .viewer))
            let device = TestDevice()
            let alice = try await server.logIn(.google, "alice", on: device)
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
        try await TestServer.openConsole(on: .sqlite) { server in
            let alice = try await server.logIn(.google, "alice")
            server.clock.advance(seconds: 3 * 86_400)
            let kim = try await server.person("kim", .support)
            let sofar = Date(timeIntervalSince1970: Double(server.clock.now.milliseconds / 1_000 - 86_400))
            let moment = String(sofar.formatted(.iso8601).prefix(16))
            _ = try await kim.perform("member.banned", ["user": alice.user.rawValue], ["length": "1d"])
            func rows(_ query: [String: String]) async throws -> (page: ConsolePage, count: Int) {
                let page = try await kim.get("\(Self.page(alice.user))?\(ConsolePage.encoded(query))")
                return (page, page.html.matches(of: /<li class="k-/).count)
            }
            let all = try await rows([:]).count
            let late = try await rows(["since": moment])
            let early = try await rows(["until": moment])
            #expect(late.count == 1 && early.count == all - 1 && early.count > 0)
            let kinds = late.page.links.filter { $0.contains("about=") }
            #expect(kinds.count == 9 && kinds.allSatisfy { $0.contains("since=") && $0.hasSuffix("#timeline") })
            #expect(try await rows(["since": moment, "by": "player"]).count == 0)
            let bans = try await rows(["about": "bans"])
            #expect(bans.count == 1 && bans.page.html.contains("about=bans#timeline\" aria-current=\"true\""))
            #expect(bans.page.forms.contains { $0.method == "get" && $0.fields["about"] == "bans" })
            let operators = try await rows(["by": "operator"])
            #expect(operators.count == 1 && operators.page.html.contains("<option value=\"operator\" selected>"))
            #expect(try await rows(["about": "bans", "until": moment]).count == 0)
            #expect(try await rows(["about": "identities"]).count == all - 1)
            #expect(try await rows(["about": "nonsense"]).count == all)
            #expect(try await rows(["until": moment, "by": "operator"]).count == 0)
            #expect(try await rows(["since": "x"]).page.problem("since") != nil)
        }
    }

    @Test("UI-MEM-1: the state's own action stands first, and in the menu what can't be undone stands last")
    func actions() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let (kim, lee) = (try await server.person("kim", .operator), try await server.person("lee", .support))
            let alice = try await server.logIn(.google, "alice")
            func offered(_ browser: ConsoleBrowser) async throws -> [String] {
                let html = try await browser.get(Self.page(alice.user)).html
                let begin = try #require(html.range(of: "<div class=\"buttons\">")).lowerBound
                let end = try #require(html.range(of: "id=\"can-log-in\"")).lowerBound
                return ConsolePage.links(in: String(html[begin..<end])).compactMap { link in
                    link.firstMatch(of: /\/do\/([a-z.-]+)/).map { String($0.output.1) }
                }
            }
            let normal = try await offered(kim)
            #expect(normal.first == "member.banned" && normal.last == "member.withdrawn" && normal.count > 3)
            #expect(try await offered(lee) == normal.dropLast())
            _ = try await kim.perform("member.banned", ["user": alice.user.rawValue], ["length": "1d"])
            let banned = try await kim.get(Self.page(alice.user))
            let release = "/console/apps/game/do/ban.released?user=\(alice.user)"
            #expect(banned.html.contains("<a class=\"button primary\" href=\"\(release)\">"))
            let held = try await offered(kim)
            #expect(held.first == "ban.released" && held.last == "member.withdrawn")
            for id in ["can-log-in", "identities", "sessions", "transfer", "bans", "notes", "refusals", "timeline"] {
                #expect(banned.html.matches(of: try Regex("id=\"\(id)\"")).count == 1, "\(id)")
            }
            #expect(banned.text.contains("No device is logged in.") && !banned.text.contains("Never banned."))
        }
    }

    @Test("UI-LINE-2: the stream's pages lead from the newest entry to the first, over all sources")
    func pages() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .support)
            let alice = try await server.logIn(.google, "alice")
            for number in 0..<28 {
                try await server.run(AddMemberNote(user: alice.user, text: "note \(number)"))
            }
            let first = try await kim.get(Self.page(alice.user))
            let second = try await kim.get(try #require(first.older))
            func notes(_ page: ConsolePage) -> [String] {
                page.html.matches(of: /<bdi>(note \d+)</).map { String($0.output.1) }
            }
            #expect(notes(first) + notes(second) == (0..<28).reversed().map { "note \($0)" })
            #expect(notes(first).count == 25 && second.older == nil && second.text.contains("Registered with Google"))
            #expect(first.html.utf8.count <= 25 * 1_024)
        }
    }

    @Test("UI-LIST-5: the size of lists is kept with the person, over a sign-out")
    func listSize() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            for _ in 0..<26 { _ = try await server.guest(TestDevice()) }
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
