import Crypto
import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The pictures of the operators' manual (UI-DOCS), of a game that was played for three weeks.
@Suite(
    .timeLimit(.minutes(20)), .serialized,
    .enabled(if: WebDriver.path != nil && ConsolePictures.folder != nil, "GATEHOUSE_WRITE_DOCS=1 writes the pictures"))
struct ConsolePictureBrowserTests {
    @Test("Every screen has a picture")
    func screens() async throws {
        try await ConsolePerson.run(showsEnrolment: true, prepare: { try await Self.play(on: $0) }) {
            server, driver, person in
            let members = try await Self.act(server, driver, person)
            try await server.seedAlertReceivers()
            try await server.seedReply()
            let pages: [(name: String, path: String, height: Int)] = [
                ("home", "", 520), ("overview", "/apps/game?range=30d", 1_500), ("members", "/apps/game/members", 860),
                ("member", "/apps/game/members/\(members.banned)", 1_500),
                ("find", "/find?app=game&q=nobody%40example.com", 420), ("refusals", "/apps/game/refusals", 620),
                ("bans", "/apps/game/bans", 640), ("ban-templates", "/apps/game/ban-templates", 520),
                ("hand-over", "/apps/game/hand-over", 1_200), ("replies", "/apps/game/replies", 520),
                ("grace-bans", "/apps/game/grace-bans", 620), ("withdrawals", "/apps/game/withdrawals", 720),
                ("launching", "/apps/game/launching", 1_300), ("test-devices", "/apps/game/test-devices", 520),
                ("kick-out", "/apps/game/kick-out", 520), ("providers", "/apps/game/providers", 900),
                ("provider", "/apps/game/providers/google", 1_100), ("accounts", "/apps/game/accounts", 860),
                ("transfer", "/apps/game/transfer", 900), ("limits", "/apps/game/limits", 640),
                ("signing-keys", "/apps/game/signing-keys", 620), ("secrets", "/apps/game/secrets", 560),
                ("alerts", "/apps/game/alerts", 620), ("audit", "/apps/game/audit", 860), ("jobs", "/jobs", 520),
                ("health", "/health", 1_100),
                ("operators", "/operators", 640), ("me", "/me", 1_200), ("start", "/apps/game/start", 1_200),
            ]
            for page in pages {
                try await person.open(page.path)
                try await driver.document(page.name, height: page.height)
            }
            try await person.open("/apps/game/refusals")
            try await driver.click("main tbody td:nth-child(2) a")
            try await driver.document("refusal", height: 640)
            // A few in the dark, on a phone, and in Korean.
            try await driver.prefer("dark")
            try await person.open("/apps/game?range=30d")
            try await driver.document("overview-dark", height: 1_100)
            try await person.open("/apps/game/members/\(members.banned)")
            try await driver.document("member-dark", height: 1_000)
            try await driver.prefer("light")
            for (name, path) in [("overview-narrow", "?range=30d"), ("member-narrow", "/members/\(members.banned)")] {
                try await person.open("/apps/game\(path)")
                try await driver.document(name, width: 400, height: 900)
            }
            try await person.open("/apps/game/launching")
            try await driver.click(".person .opens")
            try await driver.click("button[value=ko]")
            for (name, path) in [("launching-ko", "launching"), ("member-ko", "members/\(members.banned)")] {
                try await person.open("/apps/game/\(path)")
                try await driver.document(name, height: 1_000)
            }
            try await driver.click(".person .opens")
            try await driver.click("button[value=ja]")
            try await person.open("/apps/game/members/\(members.banned)")
            try await driver.document("member-ja", height: 1_000)
            try await driver.click(".person .opens")
            try await driver.click("button[value=en]")
            try await person.open("/apps/game/bans")
            try await driver.document("bans-middle", width: 768, height: 700)
            try await person.open("/sign-in")
            try await driver.document("sign-in", height: 620)
            let style = try await driver.script(
                "return document.querySelector('link[rel=stylesheet]').getAttribute('href')")
            try await driver.documentAll()
            try ConsolePictures.note(style: try #require(style.stringValue))
        }
    }

    /// Three weeks of players.
    private static func play(on server: LiveServer) async throws {
        try await server.run(
            AddBanTemplate(
                code: 1, name: "Cheating",
                texts: [
                    "en": "You used a program that plays for you.", "ko": "불법 프로그램 사용이 확인되었습니다.",
                    "ja": "不正なプログラムの使用が確認されました。",
                ]))
        for day in 0..<21 {
            try await server.advance(days: 1)
            for number in 0..<(4 + day % 5) {
                // Players come back every few days.
                let phone = server.device("player\(day * 3 + number)", languages: ["ko"])
                try await phone.start()
                let provider: Provider = [.google, .apple, .facebook, .google][number % 4]
                _ = try await number % 3 == 2 ? phone.logIn(with: .guest) : phone.logIn(with: provider)
                if number % 6 == 2 { _ = try await phone.addMapping(.google) }
            }
        }
    }

    /// What operators did today.
    private static func act(
        _ server: LiveServer, _ driver: WebDriver, _ person: ConsolePerson
    ) async throws -> (banned: UserID, grace: UserID) {
        let phone = server.device("mina")
        try await phone.start()
        let banned = try await phone.logIn(with: .google).member.userId
        _ = try await phone.addMapping(.apple)
        let other = server.device("jun")
        try await other.start()
        let grace = try await other.logIn(with: .facebook).member.userId
        let hand = ConsoleHand(driver)
        try await person.open("/apps/game/members/\(banned)")
        try await driver.type("Asked twice about an item that was lost. Was told to restart the game.", into: "#f-text")
        try await driver.click("#notes form button")
        _ = try await driver.text(of: "#timeline article")

        try await person.open("/apps/game/do/member.banned?user=\(banned)")
        try await hand.choose("#f-template", "1")
        try await driver.document("ban-form", height: 700)
        try await driver.click("main form button[formaction]")
        try await driver.type("aimbot, seen by two game masters", into: "#f-reason")
        try await driver.document("ban-confirmation", height: 980)
        try await driver.click(".will .buttons button")
        _ = try await driver.text(of: "p.notice.good")
        try await driver.document("ban-result", height: 620)
        _ = await failure { try await phone.sendHeartbeat() }
        _ = await failure { try await phone.logIn(with: .google) }

        try await person.open("/apps/game/do/grace-ban.begun?user=\(grace)")
        try await driver.fill([
            "days": "7", "count": "2", "amount": "50000",
            "message": "Please pay again for the two items that were refunded.",
        ])
        try await driver.document("grace-ban-form", height: 860)
        try await driver.click("main form button[formaction]")
        _ = try await hand.confirm("two payments were refunded")
        try await person.open("/apps/game/do/test-device.added?device=\(key(of: "our own phone"))")
        try await driver.fill(["note": "Our own phone"])
        try await driver.click("main form button[formaction]")
        _ = try await hand.confirm("for the maintenance")
        try await person.open("/apps/game/do/maintenance.planned")
        try await driver.click("ul.chips a")
        try await driver.fill([
            "message.en": "We are installing version 2.0.", "message.ko": "버전 2.0을 설치하고 있습니다.",
            "message.ja": "バージョン2.0をインストールしています。",
        ])
        try await driver.document("maintenance-form", height: 1_000)
        try await driver.click("main form button[formaction]")
        try await driver.type("version 2.0", into: "#f-reason")
        try await driver.document("maintenance-confirmation", height: 900)
        try await driver.click(".will .buttons button")
        _ = try await driver.text(of: "p.notice.good")
        try await server.writeNumbers()
        return (banned, grace)
    }

    /// The thumbprint of a key.
    private static func key(of name: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Data(name.utf8))))
    }
}

/// Where the pictures of the manual are.
enum ConsolePictures {
    /// The folder to write to; nil unless `GATEHOUSE_WRITE_DOCS` is set.
    static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"].map { _ in
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/images/console").standardizedFileURL
    }

    /// Notes in which style the console is on all pictures, so that `ConsoleSourceTests` finds pictures of an older one.
    ///
    /// - Parameter style: the style sheet's address, which changes with its content.
    static func note(style: String) throws {
        guard let folder else { return }
        try "\(style)\n".write(to: folder.appending(path: "style.txt"), atomically: true, encoding: .utf8)
    }
}

extension WebDriver {
    /// Writes a picture of the page for the manual, in few colours: a repository keeps every version of a picture.
    func document(_ name: String, width: Int = 1_280, height: Int = 860) async throws {
        guard let folder = ConsolePictures.folder else { return }
        try await show(width: width, height: height)
        try await script("document.activeElement.blur(); scrollTo(0, 0)")
        // The first picture after a change of size can lack parts that are not painted yet.
        _ = try await screenshot()
        let file = folder.appending(path: "\(name).png")
        try await screenshot().write(to: file)
        try await show(width: 1_280, height: 860)
        let tool = try Command(
            ["--force", "--skip-if-larger", "--speed", "1", "--ext", ".png", "64", file.path], in: folder,
            executable: "/usr/bin/pngquant")
        // 98: the picture would be larger.
        #expect([0, 98].contains(await tool.status()), "pngquant")
    }

    /// Writes `all.png` with every picture and its name, so that a change of a style sheet is seen at one look.
    fileprivate func documentAll() async throws {
        guard let folder = ConsolePictures.folder else { return }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".png") && $0 != "all.png" }.sorted()
        let figures = names.map { name in
            let address = folder.appending(path: name).absoluteString
            return "<figure><img src='\(address)'><figcaption>\(name.dropLast(4))</figcaption></figure>"
        }
        let style = """
            body { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; margin: 1rem; font: 1rem sans-serif }
            figure { margin: 0 } img { display: block; max-width: 100%; max-height: 30rem; border: 1px solid silver }
            """
        try await withFolder { own in
            let page = own.appending(path: "all.html")
            let text = "<!doctype html><style>\(style)</style>\(figures.joined())"
            try text.write(to: page, atomically: true, encoding: .utf8)
            try await open(page)
            let height = try await script("return document.documentElement.scrollHeight").integerValue ?? 0
            try await document("all", height: Int(height))
        }
    }

    /// Fills in fields by their names. Those that the form does not have are left out.
    fileprivate func fill(_ fields: [String: String]) async throws {
        for (name, text) in fields {
            let field = "[id='f-\(name)']"
            guard try await script("return !!document.querySelector(\"\(field)\")") == .bool(true) else { continue }
            try await script("document.querySelector(\"\(field)\").value = ''")
            try await type(text, into: field)
        }
    }
}

extension LiveServer {
    fileprivate func device(_ name: String, languages: [String]) -> GatehouseClient {
        var configuration = Self.configuration(url, MemoryStorage())
        configuration.languages = languages
        configuration.adapters = [.google, .apple, .facebook].map {
            TestAdapter(provider: $0, player: name, idps: idps)
        }
        return GatehouseClient(configuration)
    }
}
