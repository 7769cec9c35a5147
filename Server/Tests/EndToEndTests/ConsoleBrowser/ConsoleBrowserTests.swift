import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The operator console in headless browsers.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleBrowserTests {
    @Test(
        "UI-BROWSERS: Firefox is there",
        .enabled(if: Browser.requiresFirefox, "Firefox is missing: the console was tried in Chromium alone"))
    func firefox() throws {
        // Without it the tests below would not try what they say they try.
        #expect(Browser.available.contains(.firefox))
    }

    @Test(
        "UI-SIGN-1, UI-ACT-1, UI-BROWSERS: enrolment, a ban while a phone plays, and its Undo",
        arguments: Browser.available, [true, false])
    func walk(browser: Browser, isScripted: Bool) async throws {
        try await ConsolePerson.run(in: browser, isScripted: isScripted) { server, driver, person in
            #expect(try await driver.url().hasSuffix("/console"))
            try await driver.open(person.link)
            #expect(try await driver.title().contains("This link has expired"))
            _ = try await driver.complaints()

            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            try await person.open("/apps/game/members/\(user)")
            try await driver.click("a[href*='do/member.banned']")
            try await driver.script("document.querySelector('#f-length').value = '3d'")
            try await driver.click("main form button[formaction]")
            try await driver.type("aimbot, seen by two game masters", into: "#f-reason")
            try await driver.click(".will .buttons button")
            let result = try await driver.text(of: "p.notice.good")
            #expect(result.contains("Undo"))
            #expect(await isThrownOut(phone))
            #expect(await failure(of: { try await phone.logIn(with: .guest) })?.code == .bannedMember)

            try await driver.click("p.notice.good button")
            try await driver.wait(forText: "The ban is released.", in: "p.notice.good")
            #expect(try await phone.logIn(with: .guest).member.userId == user)
            try await person.expectClean("the walk")
        }
    }

    @Test("UI-SESS-5: a link from a page of another origin leads to the page, signed in; a form from there is refused")
    func crossSite() async throws {
        try await ConsolePerson.run { server, driver, person in
            try await person.open("/me")
            let target = server.url.appending(path: "/console/apps/game/members")
            // 127.0.0.1 and localhost are different sites.
            let port = server.url.port ?? 0
            try await driver.open(try #require(URL(string: "http://localhost:\(port)/login/finished?outcome=failed")))
            try await driver.script("location.href = '\(target)'")
            _ = try await driver.text(of: "header.top")
            #expect(try await driver.url() == target.absoluteString)
            _ = try await driver.complaints()
        }
    }
}
