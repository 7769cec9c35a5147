import FakeProviders
import Foundation
import Gatehouse
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// A login at a provider that an operator makes as a test.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleTestLoginBrowserTests {
    @Test(
        "UI-IDP-3: a login as a test goes to the provider and back, shows what came of it, and makes no member",
        arguments: Browser.available)
    func testLogin(browser: Browser) async throws {
        try await ConsolePerson.run(in: browser) { server, driver, person in
            try await Self.begin(.google, driver, person)
            try await driver.click("#cancel")
            try await driver.wait(forAddress: "/providers/google/test/")
            #expect(try await driver.text(of: "p.notice.bad").contains("cancelled on the provider's page"))

            try await Self.begin(.google, driver, person)
            server.idps.set(.wrongAudience, for: .google)
            try await driver.click("#player-alice")
            try await driver.wait(forAddress: "/providers/google/test/")
            #expect(try await driver.text(of: "p.notice.bad").contains("another client ID"))

            // The fake provider remembers its players, and would ask no more. Another one has not seen her yet.
            try await Self.begin(.naver, driver, person)
            try await driver.click("#player-alice")
            try await driver.wait(forAddress: "/providers/naver/test/")
            #expect(try await driver.text(of: "p.notice.good").contains("The login works"))
            let page = try await driver.text(of: "main")
            #expect(page.contains(server.idps.subject(of: "alice", at: .naver)), "\(page)")
            #expect(page.contains("Nobody has it yet") && page.contains("No member and no session was made"), "\(page)")
            try await person.expectClean("the test login")

            #expect(try await server.members() == 0)
            let rows = try await server.database.read { tx in
                try ["identities", "sessions", "identity_tokens"].map { (table: SQL) in
                    try tx.first("SELECT COUNT(*) FROM \(table)") { row in try row[0] as Int } ?? -1
                }
            }
            #expect(rows == [0, 0, 0])
        }
    }

    private static func begin(_ provider: Provider, _ driver: WebDriver, _ person: ConsolePerson) async throws {
        try await person.open("/apps/game/providers/\(provider)")
        try await driver.click("#test form:has(input[value=login]) button")
        try await driver.wait(forTitle: "Fake \(provider)")
    }
}
