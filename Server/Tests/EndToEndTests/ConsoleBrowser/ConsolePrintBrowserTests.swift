import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The console on paper, and its times.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsolePrintBrowserTests {
    @Test("UI-PRINT: a page on paper has its title, filters, zone, time and reader, and nothing that can be pressed")
    func paper() async throws {
        try await ConsolePerson.run { server, driver, person in
            try await server.seedForConsole()
            let phone = server.device("alice")
            try await phone.start()
            let user = try await phone.logIn(with: .google).member.userId
            try await person.open("/apps/game/do/member.banned?user=\(user)&length=7d")
            try await driver.click("main form button[formaction]")
            _ = try await ConsoleHand(driver).confirm("aimbot")
            try await server.writeNumbers()
            let pages = [
                ("/apps/game/members/\(user)", ["\(user)", "aimbot", "Can they log in?"]),
                ("/apps/game?range=7d", ["Overview", "7 days", "Logins"]),
                ("/apps/game/audit?by=kim", ["Audit", "Operator: kim", "aimbot"]),
            ]
            for (path, texts) in pages {
                try await person.open(path)
                let controls = try await driver.strings(
                    """
                    return [...document.querySelectorAll('button, input:not([type=hidden]), select, textarea, .button, td.actions a')]
                      .map(e => e.textContent.trim() || e.name).filter(t => t.length > 3);
                    """)
                let paper = try await Self.text(of: driver.print())
                for text in texts + ["Game", "All times in UTC", "kim", "Server time"] {
                    #expect(paper.contains(text), "\(path) lacks \(text): \(paper)")
                }
                let lines = Set(paper.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
                for control in controls + ["Ban texts", "Test devices", "Operators"] {
                    #expect(!lines.contains(control), "\(path) prints \(control)")
                }
            }
        }
    }

    /// The text of a PDF, as poppler reads it.
    private static func text(of pdf: Data) async throws -> String {
        try await withFolder { folder in
            try pdf.write(to: folder.appending(path: "page.pdf"))
            let run = try await Command.run(
                ["-layout", "-enc", "UTF-8", "page.pdf", "-"], in: folder, executable: "/usr/bin/pdftotext")
            #expect(run.status == 0, "\(run.text)")
            return run.text
        }
    }

    @Test("UI-TIME: every time on a page is one of the database's, in the reader's zone, which is named")
    func zones() async throws {
        try await ConsolePerson.run { server, driver, person in
            try await server.seedForConsole()
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            let zones = [
                (identifier: "Pacific/Auckland", standard: "NZST", summer: "NZDT"), ("Asia/Seoul", "KST", "KST"),
                ("America/New_York", "EST", "EDT"),
            ]
            for (identifier, standard, summer) in zones {
                try await Self.setZone(identifier, driver, person)
                let zone = try #require(TimeZone(identifier: identifier))
                if identifier == "Pacific/Auckland" {
                    try await person.open("/apps/game/do/member.banned?user=\(user)&length=1d")
                    try await driver.click("main form button[formaction]")
                    _ = try await ConsoleHand(driver).confirm("aimbot")
                    try await person.open("/apps/game/do/maintenance.planned")
                    try await driver.click("ul.chips a")
                    try await driver.click("main form button[formaction]")
                    _ = try await ConsoleHand(driver).confirm("version 2.0")
                }
                for path in ["members", "members/\(user)", "bans", "launching", "audit", "secrets"] {
                    try await person.open("/apps/game/\(path)")
                    let found = try await driver.strings(
                        """
                        return [...document.querySelectorAll('main time')].map(t =>
                          [t.dateTime, t.title.includes(' · ') ? t.title : t.textContent + ' · ' + t.title].join('|'))
                        """
                    )
                    #expect(!found.isEmpty, "\(path)")
                    let known = try await Self.moments(in: server.database)
                    for text in found {
                        let parts = text.split(separator: "|").map(String.init)
                        try #require(parts.count == 2)
                        let date = try Date(parts[0], strategy: .iso8601)
                        #expect(
                            known.contains(Int64(date.timeIntervalSince1970)), "\(path): \(text) is not in the database"
                        )
                        let local = Self.written(date, zone)
                        // Foundation's own abbreviations depend on the language: `GMT+13` for people outside New Zealand.
                        let name = zone.isDaylightSavingTime(for: date) ? summer : standard
                        // In a table a day that both zones have is said once.
                        let universal = "\(Self.written(date, .gmt)) UTC"
                        let time = universal.hasPrefix(local.prefix(11)) ? String(universal.dropFirst(11)) : universal
                        #expect(
                            [universal, time].map { "\(local) \(name) · \($0)" }.contains(parts[1]),
                            "\(path): \(text) is not \(local) \(name)")
                    }
                }
            }
        }
    }

    @Test(
        "UI-LAUNCH-3, UI-TIME: a time that does not exist is refused, one that exists twice is asked for, in its field")
    func clockChanges() async throws {
        try await ConsolePerson.run { server, driver, person in
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            let zone = try #require(TimeZone(identifier: "America/New_York"))
            try await Self.setZone(zone.identifier, driver, person)
            // On the day of the one change the clocks skip 02:00, and on the day of the other they show 01:00 twice.
            let (forward, back) = try Self.nextChanges(in: zone)
            let (skip, twice) = (Self.written(forward, zone).prefix(10), Self.written(back, zone).prefix(10))
            for time in ["\(skip)T02:30", "\(twice)T01:30"] {
                try await person.open("/apps/game/do/member.banned?user=\(user)&length=until&until=\(time)")
                try await driver.click("main form button[formaction]")
                _ = try await driver.text(of: "#p-until")
                #expect(try await driver.script("return document.getElementById('f-until').value") == .string(time))
            }
            try await person.open("/apps/game/do/maintenance.planned?begin=\(skip)T02:30&end=\(skip)T05:00")
            try await driver.click("main form button[formaction]")
            _ = try await driver.text(of: "#p-begin")
            try await person.open("/apps/game/do/maintenance.planned?begin=\(twice)T01:30&end=\(twice)T03:00")
            try await driver.click("main form button[formaction]")
            _ = try await driver.text(of: "#p-begin-which")
            #expect(try await driver.axe().isEmpty)
            try await driver.click("#f-begin-which option[value=second]")
            try await driver.click("main form button[formaction]")
            #expect(try await driver.text(of: "ul.consequences").contains("\(twice) 01:30"))
            _ = try await ConsoleHand(driver).confirm("version 2.0")
            let begin = try await server.database.read { tx in
                try tx.first("SELECT maintenance_begin FROM apps WHERE app_id = \(LiveServer.app.rawValue)") { row in
                    try row[0] as Int64
                }
            }
            // The clocks show 01:30 for the second time half an hour after the change.
            #expect(begin == Int64(back.timeIntervalSince1970 + 1_800) * 1_000)
        }
    }

    /// The next change to summer time and the next one back. The server has the machine's clock, so the next day's are left out: no
    /// change comes during the test.
    private static func nextChanges(in zone: TimeZone) throws -> (forward: Date, back: Date) {
        let tomorrow = Date().addingTimeInterval(86_400)
        let first = try #require(zone.nextDaylightSavingTimeTransition(after: tomorrow))
        let second = try #require(zone.nextDaylightSavingTimeTransition(after: first))
        let isForward = zone.isDaylightSavingTime(for: first.addingTimeInterval(3_600))
        return isForward ? (first, second) : (second, first)
    }

    private static func setZone(_ zone: String, _ driver: WebDriver, _ person: ConsolePerson) async throws {
        try await person.open("/me")
        try await driver.script("document.getElementById('f-zone').value = ''")
        try await driver.type(zone, into: "#f-zone")
        try await driver.click("main form button.primary")
        try await driver.wait(forAddress: "saved=1")
    }

    /// A moment on the clocks of a zone, by Foundation's own formatter.
    private static func written(_ date: Date, _ zone: TimeZone) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        return formatter.string(from: date)
    }

    /// Every moment that the tables have, in seconds.
    private static func moments(in database: Database) async throws -> Set<Int64> {
        let columns: [SQL] = [
            "SELECT registered_at FROM members", "SELECT last_login_at FROM members", "SELECT begins_at FROM bans",
            "SELECT ends_at FROM bans", "SELECT maintenance_begin FROM apps", "SELECT maintenance_end FROM apps",
            "SELECT created_at FROM app_secrets", "SELECT last_used_at FROM app_secrets",
            "SELECT happened_at FROM operator_actions", "SELECT happened_at FROM ledger",
            "SELECT registered_at FROM identities", "SELECT created_at FROM sessions",
            "SELECT last_used_at FROM sessions", "SELECT expires_at FROM sessions",
            "SELECT idle_expires_at FROM sessions",
        ]
        return try await database.read { tx in
            let moments = try columns.flatMap { try tx.rows($0) { row in try row[0] as Int64? } }
            return Set(moments.compactMap { $0.map { $0 / 1_000 } })
        }
    }
}
