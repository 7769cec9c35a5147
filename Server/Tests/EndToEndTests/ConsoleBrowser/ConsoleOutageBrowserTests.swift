import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The console while its PostgreSQL has crashed, and after it is back.
@Suite(
    .timeLimit(.minutes(20)), .serialized,
    .enabled(if: WebDriver.path != nil && PrivatePostgreSQL.isThere, "run `make test-browser`, with PostgreSQL"))
struct ConsoleOutageBrowserTests {
    @Test(
        "UI-HEALTH-1: without PostgreSQL health says since when, sign-in says why not, and a form loses nothing and counts once"
    )
    func outage() async throws {
        try await PrivatePostgreSQL.run { postgres in
            try await LiveServer.run(at: DatabaseLocation(postgres.url)) { server in
                try await ConsolePerson.run(at: server) { driver, person in
                    let phone = server.device(MemoryStorage())
                    try await phone.start()
                    let user = try await phone.logIn(with: .guest).member.userId
                    try await person.open("/apps/game/do/member.banned?user=\(user)")
                    try await driver.click("main form button[formaction]")
                    try await driver.type("aimbot, \"seen\" by two", into: "#f-reason")
                    try await driver.type("TICKET-7", into: "#f-ticket")

                    try await postgres.crash()
                    try await driver.click(".will .buttons button")
                    try await Self.expectKeptForm(driver)
                    #expect(try await driver.axe().isEmpty)
                    try await driver.inNewWindow { try await Self.expectKnown(driver, person) }
                    // As long as the database does not answer, the form comes back each time.
                    try await driver.click("main form button.primary")
                    try await Self.expectKeptForm(driver)

                    try await postgres.start()
                    try await Self.sendUntilDone(driver)
                    #expect(try await driver.text(of: "p.notice.good").contains("Undo"))
                    #expect(try await driver.text(of: "#timeline").contains("aimbot, \"seen\" by two"))
                    #expect(try await Self.count("bans", in: server) == 1)
                    #expect(try await Self.count("operator_actions WHERE ticket = 'TICKET-7'", in: server) == 1)
                    #expect(await isThrownOut(phone))
                    try await Self.waitUntilWell(driver, person)
                }
            }
        }
    }

    /// Waits until *Health* finds the database again. Each connection does so by itself, after a pause that grows while there is none.
    private static func waitUntilWell(_ driver: WebDriver, _ person: ConsolePerson) async throws {
        try await eventually("database that answers") {
            try await person.open("/health")
            let health = try await driver.text(of: "main")
            return !health.contains("does not answer") && !health.contains("has not answered")
        }
    }

    /// The page that answers a form without the database.
    private static func expectKeptForm(_ driver: WebDriver) async throws {
        try await driver.wait(forTitle: "The database does not answer · Gatehouse")
        let page = try await driver.text(of: "main")
        #expect(page.contains("We do not know whether it was done."), "\(page)")
        #expect(page.contains("What you typed is kept on this page."), "\(page)")
        let kept = try await driver.strings(
            "return ['reason', 'ticket'].map(n => document.querySelector('main form [name=' + n + ']').value)")
        #expect(kept == ["aimbot, \"seen\" by two", "TICKET-7"])
    }

    /// What the console knows by itself.
    private static func expectKnown(_ driver: WebDriver, _ person: ConsolePerson) async throws {
        try await person.open("/health")
        let health = try await driver.text(of: "main")
        #expect(health.contains("The database has not answered since 20"), "\(health)")
        #expect(health.contains("Version"))
        try await person.open("/apps/game/members")
        #expect(try await driver.title().contains("The database does not answer"))
        try await person.open("/sign-in")
        let signIn = try await driver.text(of: "main")
        #expect(signIn.contains("so nobody can sign in now"), "\(signIn)")
    }

    /// Presses *Try again* until the server has noticed that the database is back, which takes it a second or so.
    private static func sendUntilDone(_ driver: WebDriver) async throws {
        try await eventually("server that has noticed that PostgreSQL is back") {
            try await driver.click("main form button.primary")
            if try await driver.url().contains("done=") { return true }
            try await expectKeptForm(driver)
            return false
        }
    }

    private static func count(_ rows: SQL, in server: LiveServer) async throws -> Int {
        try await server.database.read { tx in
            try tx.first("SELECT COUNT(*) FROM \(rows)") { row in try row[0] as Int } ?? 0
        }
    }
}
