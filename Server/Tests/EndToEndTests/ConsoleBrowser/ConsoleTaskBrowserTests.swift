import FakeProviders
import Foundation
import Gatehouse
import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// How many steps the commonest tasks take, with the console's script and without (UI-NOJS).
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleTaskBrowserTests {
    @Test(
        "UI-REST-1, UI-NOJS, UI-BROWSERS: a wrong forced mapping is undone with four steps after the search",
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

            let hand = ConsoleHand(driver)
            try await person.open("/apps/game")
            try await hand.find(alice.rawValue)
            _ = try await driver.text(of: "#timeline td.actions a")
            hand.reset()
            try await hand.click("#timeline td.actions a")
            let preview = try await driver.text(of: "main form.card")
            #expect(preview.contains(alice.rawValue) && preview.contains(guest.rawValue), "\(preview)")
            _ = try await hand.confirm("mapped by mistake")
            #expect(hand.steps <= 4)

            let phone = server.device("alice")
            try await phone.start()
            #expect(try await phone.logIn(with: .google).member.userId == alice)
            // The other one is a guest again, whose sessions have ended, as the preview said.
            #expect(await failure { try await new.fetchMember() }?.reason == .identityRemoved)
            #expect(try await new.logIn(with: .guest).member.userId == guest)
            for user in [alice, guest] {
                try await person.open("/apps/game/members/\(user)")
                #expect(try await driver.text(of: "#timeline").contains("mapped by mistake"), "\(user)")
            }
            try await person.expectClean("the restoration")
        }
    }

    @Test(
        "UI-BAN-1, UI-NOJS, UI-BROWSERS: a ban with a text takes six steps from the search on",
        arguments: Browser.available, [true, false])
    func ban(browser: Browser, isScripted: Bool) async throws {
        try await ConsolePerson.run(in: browser, isScripted: isScripted) { server, driver, person in
            try await server.seedForConsole()
            let phone = server.device(MemoryStorage(), languages: ["ko"])
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId

            let hand = ConsoleHand(driver)
            try await person.open("/apps/game")
            try await hand.find(user.rawValue)
            try await hand.click("a[href*='do/member.banned']")
            try await hand.choose("#f-template", "1")
            try await hand.click("main form button.primary")
            #expect(try await driver.text(of: "main form.card").contains("부정행위"))
            #expect(try await hand.confirm("aimbot").contains("Undo"))
            #expect(hand.steps <= 6)

            #expect(await failure { try await phone.sendHeartbeat() }?.reason == .banned)
            let ban = await failure { try await phone.logIn(with: .guest) }?.ban
            #expect(ban?.message == "부정행위")
            let foretold = try await driver.script(
                "return Math.max(...[...document.querySelectorAll('#bans time')].map(t => Date.parse(t.dateTime)))")
            let end = try #require(ban?.endDate)
            #expect(foretold == .integer(end / 1_000 * 1_000))
            try await person.expectClean("the ban")
        }
    }

    @Test(
        "UI-LAUNCH-1, UI-NOJS: maintenance for tonight takes eight steps; phones see it, and are in again by themselves",
        arguments: [true, false])
    func maintenance(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let storage = MemoryStorage()
            let tester = server.device(storage)
            try await tester.start()
            let key = try #require(try await tester.logIn(with: .guest).member.mappings.first?.subject)
            let hand = ConsoleHand(driver)
            try await person.open("/apps/game/test-devices")
            try await hand.click("a[href*='do/test-device.added']")
            try await hand.fill("#f-device", key)
            try await hand.click("main form button.primary")
            _ = try await hand.confirm("our own phone")

            hand.reset()
            try await hand.click("nav.side a[href$='/launching']")
            try await hand.click("a[href*='do/maintenance.planned']")
            try await hand.click("ul.chips a")
            try await hand.fill("[id='f-message.ko']", "점검 중입니다")
            try await hand.click("main form button.primary")
            #expect(try await hand.confirm("version 2.0").contains("Undo"))
            #expect(hand.steps <= 8)
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
            try await person.expectClean("the maintenance")
        }
    }

    @Test("The transaction id of a player's error leads to its cause with one step", arguments: [true, false])
    func refusal(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            try await server.ban(user, reason: "aimbot")
            _ = await failure { try await phone.sendHeartbeat() }
            let error = try #require(await failure { try await phone.logIn(with: .guest) })
            let id = try #require(error.transactionID)
            let hand = ConsoleHand(driver)
            // Refused calls are written about once a second.
            for _ in 0..<100 {
                try await person.open("/apps/game")
                hand.reset()
                try await hand.find(id.rawValue)
                if try await driver.url().contains("/refusals/") { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(hand.steps == 1)
            let page = try await driver.text(of: "main")
            #expect(page.contains("\(ErrorCode.bannedMember.rawValue)") && page.contains(user.rawValue), "\(page)")
            try await person.expectClean("the refusal")
        }
    }

    @Test(
        "UI-IDP-1, UI-NOJS: a provider is set up by the page's own steps, tested, switched on, and lets a player in",
        arguments: [true, false])
    func provider(isScripted: Bool) async throws {
        try await ConsolePerson.run(isScripted: isScripted) { server, driver, person in
            let second = AppID("second")
            _ = try await server.run(CreateApp(id: second, name: "Second"))
            let known = try #require(try await server.run(ReadApp()).providers[.google])
            let secret = try #require(server.idps.secrets(of: .google).objectValue?["clientSecret"]?.stringValue)

            try await person.open("/apps/second/providers")
            try await driver.click("a[href$='/providers/google']")
            let callback = try await driver.text(of: "code[data-copy]")
            #expect(callback.contains("/second/") && callback.hasPrefix("\(server.url)"))
            try await driver.type(known.clientIds.joined(separator: "\n"), into: "[id='f-set.clientIds']")
            try await driver.type(secret, into: "[id='f-secret.clientSecret']")
            try await driver.click("#here summary")
            try await driver.type(try #require(known.origin), into: "[id='f-set.origin']")
            let hand = ConsoleHand(driver)
            try await hand.click("#here button.primary")
            _ = try await hand.confirm("a new game")
            try await hand.click("#test form button")
            _ = try await driver.text(of: "ul.findings li")
            let verdicts = try await driver.strings(
                "return [...document.querySelectorAll('ul.findings .badge')].map(b => b.className)")
            #expect(verdicts.contains("badge good") && !verdicts.contains("badge bad"), "\(verdicts)")
            try await hand.click("a[href*='do/provider.enabled']")
            _ = try await hand.confirm("tested")

            server.passSecond()
            var configuration = LiveServer.configuration(server.url, MemoryStorage())
            configuration.appID = second
            configuration.adapters = [TestAdapter(provider: .google, player: "alice", idps: server.idps)]
            let phone = GatehouseClient(configuration)
            try await phone.start()
            _ = try await phone.logIn(with: .google)
            #expect(try await !driver.text(of: "main").contains(secret))
            try await person.expectClean("the provider")
        }
    }
}
