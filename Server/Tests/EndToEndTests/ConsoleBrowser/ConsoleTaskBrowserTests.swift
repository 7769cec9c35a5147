import FakeProviders
import Foundation
import Gatehouse
import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// Twelve tasks of operators, each from the page of apps, with the number of clicks and fields that it may take at most. The numbers are
/// those of a tester who used an earlier console, or half of them for tasks that took too many.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleTaskBrowserTests {
    /// Does a task, and counts its steps.
    ///
    /// - Parameter goal: how many steps it may take.
    private static func task(
        _ name: String, atMost goal: Int, _ driver: WebDriver, _ person: ConsolePerson,
        _ steps: (ConsoleHand) async throws -> Void
    ) async throws {
        try await person.open("")
        let hand = ConsoleHand(driver)
        try await steps(hand)
        #expect(hand.steps <= goal, "\(name) took \(hand.steps) steps")
        try await person.expectClean(name)
    }

    /// A guest who plays.
    private static func guest(at server: LiveServer) async throws -> (phone: GatehouseClient, user: UserID) {
        let phone = server.device(MemoryStorage(), languages: ["ko"])
        try await phone.start()
        return (phone, try await phone.logIn(with: .guest).member.userId)
    }

    @Test("Task 1: why a player can't log in", arguments: [true, false])
    func whyNot(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let user = try await Self.guest(at: server).user
            try await server.ban(user, reason: "aimbot")
            try await Self.task("the diagnosis", atMost: 3, driver, person) { hand in
                try await hand.find(user.rawValue)
                let answer = try await driver.text(of: "#can-log-in")
                #expect(answer.contains("Banned (code 7)"), "\(answer)")
                #expect(try await driver.text(of: "section.who .verdict").contains("aimbot"))
            }
        }
    }

    @Test(
        "Task 2, UI-BAN-1, UI-NOJS, UI-BROWSERS: a ban of three days with a text, and its Undo",
        arguments: Browser.available, [true, false])
    func ban(browser: Browser, isScripted: Bool) async throws {
        try await ConsolePerson.run(in: browser, isScripted: isScripted) { server, driver, person in
            try await server.seedForConsole()
            let (phone, user) = try await Self.guest(at: server)
            try await Self.task("the ban", atMost: 8, driver, person) { hand in
                try await hand.find(user.rawValue)
                try await hand.click("a[href*='do/member.banned']")
                try await hand.choose("#f-template", "1")
                try await hand.click("main form button[formaction]")
                #expect(try await driver.text(of: "main form.card").contains("부정행위"))
                #expect(try await hand.confirm("aimbot").contains("Undo"))
            }
            #expect(await isThrownOut(phone))
            let ban = await failure { try await phone.logIn(with: .guest) }?.ban
            #expect(ban?.message == "부정행위")
            let foretold = try await driver.script(
                "return Math.max(...[...document.querySelectorAll('#bans time')].map(t => Date.parse(t.dateTime)))")
            let end = try #require(ban?.endDate)
            #expect(foretold == .integer(end / 1_000 * 1_000))
            // The result is still shown.
            let hand = ConsoleHand(driver)
            try await hand.click("p.notice.good button")
            try await driver.wait(forText: "The ban is released.", in: "p.notice.good")
            #expect(hand.steps <= 3)
            #expect(try await phone.logIn(with: .guest).member.userId == user)
        }
    }

    @Test(
        "Task 3, UI-REST-1, UI-NOJS, UI-BROWSERS: a wrong forced mapping is undone",
        arguments: Browser.available, [true, false])
    func restore(browser: Browser, isScripted: Bool) async throws {
        try await ConsolePerson.run(in: browser, isScripted: isScripted) { server, driver, person in
            let old = server.device("alice")
            try await old.start()
            let alice = try await old.logIn(with: .google).member.userId
            let new = server.device("alice")
            try await new.start()
            let guest = try await new.logIn(with: .guest).member.userId
            let refused = await failure { try await new.addMapping(.google) }
            let member = try await new.addMapping(forcing: try #require(refused?.forcingMappingTicket))
            #expect(member.userId == guest)

            try await Self.task("the restoration", atMost: 3, driver, person) { hand in
                try await hand.find(alice.rawValue)
                try await hand.click(".move .buttons a.primary")
                let preview = try await driver.text(of: "main form.card")
                #expect(preview.contains(alice.rawValue) && preview.contains(guest.rawValue), "\(preview)")
                try await hand.click(".will .buttons button")
                _ = try await driver.text(of: "p.notice.good")
            }
            let phone = server.device("alice")
            try await phone.start()
            #expect(try await phone.logIn(with: .google).member.userId == alice)
            // The other one is a guest again, whose sessions have ended, as the preview said.
            #expect(await failure { try await new.fetchMember() }?.reason == .identityRemoved)
            #expect(try await new.logIn(with: .guest).member.userId == guest)
            for user in [alice, guest] {
                try await person.open("/apps/game/members/\(user)")
                #expect(try await driver.text(of: "#timeline").contains("moved by mistake"), "\(user)")
            }
        }
    }

    @Test("Task 4: a transfer account for a player whose phone is lost", arguments: [true, false])
    func transfer(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let user = try await Self.guest(at: server).user
            try await Self.task("the transfer account", atMost: 7, driver, person) { hand in
                try await hand.find(user.rawValue)
                try await hand.click("a[href*='do/transfer.reissued']")
                try await hand.fill("#f-reason", "lost phone")
                try await hand.click(".will .buttons button")
                #expect(try await driver.text(of: "main .card").contains(user.rawValue))
            }
            let codes = try await driver.strings(
                "return [...document.querySelectorAll('dl.once code')].map(c => c.textContent)")
            try #require(codes.count == 2)
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let login = try await phone.redeemTransferAccount(id: codes[0], password: TransferPassword(codes[1]))
            #expect(login.member.userId == user)
        }
    }

    @Test(
        "Task 5, UI-LAUNCH-1, UI-NOJS: maintenance in three languages; phones see it, and are in again by themselves",
        arguments: [true, false])
    func maintenance(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let storage = MemoryStorage()
            let tester = server.device(storage)
            try await tester.start()
            let key = try #require(try await tester.logIn(with: .guest).member.mappings.first?.subject)
            let preparing = ConsoleHand(driver)
            try await person.open("/apps/game/do/test-device.added?device=\(key)")
            _ = try await preparing.confirm("our own phone")

            try await Self.task("the maintenance", atMost: 11, driver, person) { hand in
                try await hand.find("plan maintenance")
                try await hand.click(".found a[href*='do/maintenance.planned']")
                try await hand.click("ul.chips a")
                for (language, text) in [("en", "Back soon."), ("ko", "점검 중입니다"), ("ja", "メンテナンス中です")] {
                    try await hand.fill("[id='f-message.\(language)']", text)
                }
                try await hand.click("main form button[formaction]")
                #expect(try await driver.text(of: ".will").contains("メンテナンス中です"))
                #expect(try await hand.confirm("version 2.0").contains("Undo"))
            }
            let moments = try await driver.strings(
                "return [...document.querySelectorAll('main .pair time')].map(t => t.dateTime)")
            let times = try moments.map { try Date($0, strategy: .iso8601) }
            #expect(times.count == 2 && times[1].timeIntervalSince(times[0]) == 7_200)

            let phone = server.device(MemoryStorage(), languages: ["ko"])
            #expect(try await phone.start().isPlayable)
            try await server.advance(to: times[0])
            let closed = try await server.device(MemoryStorage(), languages: ["ko"]).start()
            #expect(!closed.isPlayable && closed.message == "점검 중입니다")
            #expect(await failure { try await phone.logIn(with: .guest) } != nil)
            let again = server.device(storage)
            try await again.start()
            _ = try await again.logInWithLastProvider()
            try await server.advance(to: times[1])
            _ = try await phone.logIn(with: .guest)
        }
    }

    @Test("Task 6: an update is forced below a version")
    func forceUpdate() async throws {
        try await ConsolePerson.run { server, driver, person in
            let address = "https://example.com/update"
            try await Self.task("the update", atMost: 4, driver, person) { hand in
                try await hand.find("force update below 2.0")
                try await hand.fill("#f-url", address)
                // What will happen follows what is typed.
                try await driver.wait(forText: address, in: ".will table")
                #expect(try await driver.text(of: ".will").contains("versions below 2.0"))
                _ = try await hand.confirm("a fault in 1.9")
            }
            server.passSecond()
            func status(_ version: String) async throws -> LaunchingStatus {
                var configuration = LiveServer.configuration(server.url, MemoryStorage())
                configuration.client?.clientVersion = version
                return try await GatehouseClient(configuration).start().status
            }
            #expect(try await status("1.9.9") == .requireUpdate)
            #expect(try await status("2.0") == .inService)
        }
    }

    @Test(
        "Task 7, UI-IDP-1, UI-NOJS: a provider is set up by the page's own steps, tested, switched on, and lets a player in",
        arguments: [true, false])
    func provider(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let second = AppID("second")
            _ = try await server.runOnServer(CreateApp(id: second, name: "Second"))
            let known = try #require(try await server.run(ReadApp()).providers[.google])
            let secret = try #require(server.idps.secrets(of: .google).objectValue?["clientSecret"]?.stringValue)

            try await Self.task("the provider", atMost: 12, driver, person) { hand in
                try await hand.click("ul.cards a[href$='/apps/second']")
                try await hand.click("nav.side a[href$='/second/providers']")
                try await hand.click("a[href$='/providers/google']")
                let callback = try await driver.text(of: "code[data-copy]")
                #expect(callback.contains("/second/") && callback.hasPrefix("\(server.url)"))
                try await hand.fill("[id='f-set.clientIds']", known.clientIds.joined(separator: "\n"))
                try await hand.fill("[id='f-secret.clientSecret']", secret)
                // Only the fake one is elsewhere.
                try await driver.click("#here summary")
                try await driver.type(try #require(known.origin), into: "[id='f-set.origin']")
                try await hand.click("#here button.primary")
                _ = try await hand.confirm("a new game")
                try await hand.click("#test form button")
                _ = try await driver.text(of: "ul.findings li")
                let verdicts = try await driver.strings(
                    "return [...document.querySelectorAll('ul.findings .badge')].map(b => b.className)")
                #expect(verdicts.contains("badge good") && !verdicts.contains("badge bad"), "\(verdicts)")
                try await hand.click("a[href*='do/provider.enabled']")
                _ = try await hand.confirm("tested")
            }
            server.passSecond()
            var configuration = LiveServer.configuration(server.url, MemoryStorage())
            configuration.appID = second
            configuration.adapters = [TestAdapter(provider: .google, player: "alice", idps: server.idps)]
            let phone = GatehouseClient(configuration)
            try await phone.start()
            _ = try await phone.logIn(with: .google)
            #expect(try await !driver.text(of: "main").contains(secret))
        }
    }

    @Test("Task 8: a leaked secret key is replaced", arguments: [true, false])
    func leakedKey(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let leaked = try #require(try await server.run(ListSecrets()).first)
            try await Self.task("the new key", atMost: 6, driver, person) { hand in
                try await hand.find(server.secret.secretValue)
                #expect(try await driver.text(of: "p.notice.good").contains(leaked.id))
                try await hand.click("p.notice.good a[href*='do/secret.created']")
                try await hand.click(".will .buttons button")
                #expect(try await driver.text(of: "dl.once code").hasPrefix("gsk_"))
                try await hand.click("main a[href*='do/secret.revoked-old']")
                try await hand.fill("#f-typed", leaked.id)
                try await hand.click(".will .buttons button")
                _ = try await driver.text(of: "p.notice.good")
            }
            let left = try await server.run(ListSecrets())
            #expect(left.count == 1 && !left.contains { $0.id == leaked.id })
            #expect(try await driver.text(of: "main").contains("has leaked"))
        }
    }

    @Test("Task 9: a colleague is invited for one app", arguments: [true, false])
    func invitation(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            _ = try await server.runOnServer(CreateApp(id: AppID("second"), name: "Second"))
            try await Self.task("the invitation", atMost: 8, driver, person) { hand in
                try await hand.click("nav.side a[href$='/operators']")
                try await hand.click("main a[href*='do/operator.invited']")
                try await hand.fill("#f-name", "tom")
                if isScripted {
                    // The answer to the name complains of no field that nobody has come to.
                    let will = try await driver.text(of: ".will[aria-busy=false]")
                    #expect(will.contains("Fill in the form"), "\(will)")
                }
                try await hand.choose("#f-scope", "game")
                try await hand.choose("#f-role", "support")
                try await hand.click("main form button[formaction]")
                let will = try await driver.text(of: ".will")
                #expect(will.contains("game: support") && !will.contains("second"), "\(will)")
                try await hand.fill("#f-reason", "a new colleague")
                try await hand.click(".will .buttons button")
                #expect(try await driver.text(of: "dl.once code").contains("/console/enrol/"))
            }
        }
    }

    @Test("Task 10: the transaction id of a player's error leads to its cause", arguments: [true, false])
    func refusal(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let (phone, user) = try await Self.guest(at: server)
            try await server.ban(user, reason: "aimbot")
            _ = await failure { try await phone.sendHeartbeat() }
            let error = try #require(await failure { try await phone.logIn(with: .guest) })
            let id = try #require(error.transactionID)
            // Refused calls are written about once a second.
            try await eventually("refusal with the id \(id.rawValue)") {
                try await person.open("/find?q=\(id.rawValue)")
                return try await driver.url().contains("/refusals/")
            }
            try await Self.task("the cause", atMost: 2, driver, person) { hand in
                try await hand.find(id.rawValue)
                try await driver.wait(forAddress: "/refusals/")
                let page = try await driver.text(of: "main")
                #expect(page.contains("\(ErrorCode.bannedMember.rawValue)") && page.contains(user.rawValue), "\(page)")
            }
        }
    }

    @Test(
        "Task 11: eighty members of a list are banned, and the result leads to their release", arguments: [true, false])
    func list(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            var users: [UserID] = []
            for _ in 0..<80 { users.append(try await Self.guest(at: server).user) }
            for user in users.prefix(7) { try await server.ban(user, reason: "aimbot") }
            try await Self.task("the list", atMost: 3, driver, person) { hand in
                try await hand.find("ban \(users.map(\.rawValue).joined(separator: " ")) 7 days bots in town")
                #expect(try await driver.text(of: ".will").contains("73 members"))
                try await hand.fill("#f-typed", "73")
                try await hand.click(".will .buttons button")
                let result = try await driver.text(of: "p.notice.good")
                #expect(result.contains("73") && result.contains("Undo"), "\(result)")
            }
            try await driver.click("p.notice.good button")
            try await driver.wait(forText: "73", in: ".will")
        }
    }

    @Test("Task 12: what a colleague did yesterday", arguments: [true, false])
    func yesterday(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let user = try await Self.guest(at: server).user
            try await driver.forget(server.url)
            let tom = try await ConsolePerson.enrol(server, driver, ["game": "support"], as: "tom")
            try await tom.open("/apps/game/do/member.banned?user=\(user)")
            _ = try await ConsoleHand(driver).confirm("aimbot")
            try await server.advance(days: 1)
            server.passSecond()
            try await driver.forget(server.url)
            let ann = try await ConsolePerson.enrol(server, driver, ["*": "owner"], as: "ann")
            // To forget, the browser opened a page that is not there.
            _ = try await driver.complaints()
            try await Self.task("the audit", atMost: 3, driver, ann) { hand in
                try await hand.find("tom yesterday")
                try await driver.wait(forAddress: "range=yesterday")
                let rows = try await driver.text(of: "main table")
                #expect(rows.contains(user.rawValue) && rows.contains("aimbot"), "\(rows)")
            }
        }
    }
}
