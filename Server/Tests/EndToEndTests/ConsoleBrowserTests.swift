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

/// The operator console in headless Chromium.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleBrowserTests {
    /// A person who has enrolled in the browser.
    private struct Person {
        let server: LiveServer
        let driver: WebDriver
        let name: String
        let secret: TOTP
        let link: URL

        func open(_ path: String) async throws { try await driver.open(server.url.appending(path: path)) }
    }

    private static let password = "a quiet lake in winter"

    private static func withPerson(
        isScripted: Bool = true, language: String = "en", grants: [String: String] = ["*": "owner"],
        _ test: @escaping @Sendable (LiveServer, WebDriver, Person) async throws -> Void
    ) async throws {
        try await LiveServer.run(on: .sqlite) { server in
            try await withFolder { folder in
                try await WebDriver.run(in: folder, isScripted: isScripted, language: language) { driver in
                    try await driver.show(width: 1_280, height: 860)
                    try await test(server, driver, try await enrol(server, driver, grants))
                }
            }
        }
    }

    /// UI-SIGN-1: follows the printed link, and computes the code from the key that the page shows.
    private static func enrol(
        _ server: LiveServer, _ driver: WebDriver, _ grants: [String: String]
    ) async throws -> Person {
        let token = try await server.administration.createOperator("kim", grants: grants)
        let link = server.url.appending(path: "/console/enrol/\(token)")
        try await driver.open(link)
        let key = try await driver.text(of: "code.key")
        let totp = TOTP(secret: base32(key))
        try await driver.picture("console-enrolment")
        try await driver.type(password, into: "#f-password")
        try await driver.type(totp.code(at: .now(server)), into: "#f-code")
        try await driver.click("button.primary")
        _ = try await driver.text(of: "ol.codes code")
        let codes = try await driver.script("return document.querySelectorAll('ol.codes code').length")
        #expect(codes == .integer(10))
        try await driver.click("a.button.primary")
        return Person(server: server, driver: driver, name: "kim", secret: totp, link: link)
    }

    private static func base32(_ text: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = text.compactMap { letters.firstIndex(of: $0) }.flatMap { value in
            (0..<5).reversed().map { value >> $0 & 1 }
        }
        return stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
        }
    }

    private static func expectClean(_ driver: WebDriver, _ place: String) async throws {
        let complaints = try await driver.complaints().filter { !$0.contains("/favicon.ico") }
        #expect(complaints.isEmpty, "\(place): \(complaints)")
    }

    // MARK: Walks

    @Test("UI-SIGN-1, UI-ACT-1: enrolment, a ban while a phone plays, and its Undo", arguments: [true, false])
    func walk(isScripted: Bool) async throws {
        try await Self.withPerson(isScripted: isScripted) { server, driver, person in
            #expect(try await driver.url().hasSuffix("/console"))
            try await driver.open(person.link)
            #expect(try await driver.title().contains("This link is over"))
            _ = try await driver.complaints()

            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            try await person.open("/console/apps/game/members/\(user)")
            try await driver.click("a[href*='do/member.banned']")
            try await driver.script("document.querySelector('#f-length').value = '3d'")
            try await driver.picture("console-ban-form")
            try await driver.click("main form button.primary")
            try await driver.type("aimbot, seen by two game masters", into: "#f-reason")
            try await driver.picture("console-ban-confirmation")
            try await driver.click("main form button.danger")
            let result = try await driver.text(of: "p.notice.good")
            #expect(result.contains("Undo"))
            try await driver.picture("console-member")
            let thrownOut = await failure(of: { try await phone.sendHeartbeat() })
            #expect(thrownOut?.reason == .banned)
            #expect(await failure(of: { try await phone.logIn(with: .guest) })?.code == .bannedMember)

            try await driver.click("p.notice.good a.button")
            try await driver.type("the wrong player", into: "#f-reason")
            try await driver.click("main form button.primary")
            _ = try await driver.text(of: "p.notice.good")
            #expect(try await phone.logIn(with: .guest).member.userId == user)
            try await Self.expectClean(driver, "the walk")
        }
    }

    @Test("UI-SESS-5: a link from a page of another origin leads to the page, signed in; a form from there is refused")
    func crossSite() async throws {
        try await Self.withPerson { server, driver, person in
            try await person.open("/console/me")
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

    // MARK: Crawls

    /// What a page says of itself.
    private static let look = """
        const bad = [];
        const status = performance.getEntriesByType('navigation')[0].responseStatus;
        if (status >= 500 || status == 404) bad.push('status ' + status);
        if (!document.documentElement.lang) bad.push('no language');
        if (document.querySelectorAll('h1').length != 1) bad.push('not one h1');
        let level = 1;
        for (const heading of document.querySelectorAll('main h1, main h2, main h3, main h4')) {
          const own = Number(heading.tagName[1]);
          if (own > level + 1) bad.push('heading ' + heading.textContent);
          level = own;
        }
        for (const field of document.querySelectorAll('input:not([type=hidden]):not([hidden]), select, textarea')) {
          if (!field.labels.length && !field.getAttribute('aria-label')) bad.push('no label: ' + field.name);
          const told = field.getAttribute('aria-describedby');
          if (told) for (const id of told.split(' ')) if (!document.getElementById(id)) bad.push('no ' + id);
        }
        for (const form of document.querySelectorAll('form[method=post]'))
          if (!form.querySelector('input[name=token]') && !document.body.classList.contains('plain')) bad.push('no token');
        for (const link of document.querySelectorAll('a[href], button'))
          if (!link.textContent.trim() && !link.getAttribute('aria-label')) bad.push('no text: ' + link.outerHTML);
        const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
        for (const id of ids) if (ids.indexOf(id) != ids.lastIndexOf(id)) bad.push('twice: ' + id);
        const text = document.body.innerText;
        if (/\\b(nav|deed|done|error|time|frame|problem|members|member)\\.[a-z][a-z.-]+\\b/.test(text.replace(/\\b(member|ban|session|app|operator|key|secret|provider|mapping|transfer|withdrawal|grace-ban|template|status|maintenance|note)\\.[a-z-]+/g, ''))) bad.push('a key is shown');
        for (const e of document.querySelectorAll('a.button, button, nav.side a')) {
          const box = e.getBoundingClientRect();
          if (box.width && (box.height < 24 || box.width < 24)) bad.push('small: ' + e.textContent + ' ' + box.width + 'x' + box.height);
        }
        return bad;
        """
    private static let contrast = """
        const light = c => { c = c / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
        const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
        const brightness = c => 0.2126 * light(c[0]) + 0.7152 * light(c[1]) + 0.0722 * light(c[2]);
        const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] == 1) return c; } return [255, 255, 255, 1]; };
        const bad = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const e = walker.currentNode.parentElement;
          if (!walker.currentNode.textContent.trim() || !e.getClientRects().length) continue;
          const style = getComputedStyle(e);
          if (!style.color.startsWith('rgb') || e.closest('.hidden, .skip, svg, option')) continue;
          const a = brightness(parse(style.color)), b = brightness(ground(e));
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
          if (ratio < (isLarge ? 3 : 4.5)) bad.push(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2) + ' ' + walker.currentNode.textContent.trim().slice(0, 30));
        }
        return bad;
        """

    private static func strings(_ value: JSONValue) -> [String] {
        guard case .array(let items) = value else { return [] }
        return items.compactMap(\.stringValue)
    }

    /// The links of a page that lead to other pages of the console.
    private static let links = """
        return [...document.querySelectorAll('a[href]')].map(a => a.href).filter(a => a.startsWith(location.origin + '/console'))
          .map(a => a.slice(location.origin.length).split('#')[0]).filter(a => !a.includes('/export') && !a.endsWith('.csv'));
        """

    private static let axe = ProcessInfo.processInfo.environment["GATEHOUSE_AXE"].flatMap {
        try? String(contentsOfFile: $0, encoding: .utf8)
    }

    @Test(
        "UI-LINKS, UI-A11Y, CON-12: every page that links lead to is there, says nothing on the browser's console, has labels, headings and contrast, and fits 320 pixels",
        arguments: ["en", "ko", "ja"])
    func crawl(language: String) async throws {
        try await Self.withPerson(language: language) { server, driver, person in
            try await Self.seed(server)
            let play = server.device("alice", MemoryStorage())
            try await play.start()
            _ = try await play.logIn(with: .google)
            var (waiting, seen): ([String], Set<String>) = (["/console", "/console/me"], [])
            // One page of each kind: the ids of members and the like differ.
            var kinds: [String: Int] = [:]
            while let path = waiting.first, seen.count < 120 {
                waiting.removeFirst()
                let kind = String(path.prefix { $0 != "?" }).replacing(/members\/[^\/]+/, with: "members/ID")
                guard seen.insert(path).inserted, kinds[kind, default: 0] < 3 else { continue }
                kinds[kind, default: 0] += 1
                try await driver.open(try #require(URL(string: path, relativeTo: server.url)).absoluteURL)
                // A file, such as a list as CSV, is no page.
                guard try await driver.script("return document.contentType") == .string("text/html") else { continue }
                waiting += Self.strings(try await driver.script(Self.links)).filter { !seen.contains($0) }
                let faults = Self.strings(try await driver.script(Self.look))
                #expect(faults.isEmpty, "\(path) in \(language): \(faults)")
                try await Self.expectClean(driver, path)
                for scheme in language == "en" ? ["light", "dark"] : [] {
                    try await driver.prefer(scheme)
                    let pale = Self.strings(try await driver.script(Self.contrast))
                    #expect(pale.isEmpty, "\(path) \(scheme): \(pale.prefix(5))")
                    try await Self.expectAxe(driver, "\(path) \(scheme)")
                }
                try await driver.prefer("light")
                try await driver.show(width: 320, height: 800)
                // A scroll bar takes some of the 320 pixels.
                let excess = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                #expect(try await driver.script(excess) == .integer(0), "\(path) in \(language) is too wide")
                try await driver.show(width: 1_280, height: 860)
            }
            #expect(seen.count > 10)
            try await Self.takePictures(driver, server, language)
        }
    }

    private static func expectAxe(_ driver: WebDriver, _ place: String) async throws {
        guard let axe else { return }
        try await driver.script(axe)
        let found = try await driver.asynchronous(
            """
            const done = arguments[arguments.length - 1];
            axe.run({resultTypes: ['violations']}).then(r => done(r.violations.filter(v => ['serious', 'critical'].includes(v.impact))
              .map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' | '))), e => done([String(e)]));
            """)
        let faults = strings(found)
        #expect(faults.isEmpty, "\(place): \(faults)")
    }

    /// What an operator sees first, for the manual.
    private static func takePictures(_ driver: WebDriver, _ server: LiveServer, _ language: String) async throws {
        let pages = [
            "overview": "/console/apps/game", "members": "/console/apps/game/members",
            "bans": "/console/apps/game/bans",
            "launching": "/console/apps/game/launching", "providers": "/console/apps/game/providers",
            "audit": "/console/apps/game/audit",
        ]
        guard language == "en" else { return }
        for (name, path) in pages {
            try await driver.open(server.url.appending(path: path))
            try await driver.picture("console-\(name)")
        }
    }

    private static func seed(_ server: LiveServer) async throws {
        for number in 0..<4 {
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            if number == 0 { try await ban(user, on: server, reason: "aimbot") }
        }
        try await server.administration.setBanTemplate(
            1, name: "Cheating", texts: ["en": "You cheated.", "ko": "부정행위"], of: LiveServer.app)
    }

    private static func ban(_ user: UserID, on server: LiveServer, reason: String) async throws {
        _ = try await server.call(
            Endpoints.ban,
            BanRequest(userIds: [user], banType: .permanent, reason: reason, registeredBy: reason))
    }

    @Test("UI-XSS, CON-2: what players and operators wrote makes no element and no attribute on any page")
    func payloads() async throws {
        try await Self.withPerson { server, driver, person in
            let payloads = ["\"\u{301}", "'\u{200d}", "<\u{fe0f}", ">\u{20dd}", "\"><img src=x onerror=window.xss=1>"]
                .map {
                    "\($0) autofocus onfocus=window.xss=1 <script>window.xss=1</script>\u{202e}{{t}}"
                }
            let tree =
                "return [...document.querySelectorAll('*')].map(e => e.tagName + [...e.attributes].map(a => a.name))"
            var trees: [String: [[String]]] = [:]
            var banned: [(user: UserID, reason: String)] = []
            for reason in ["aimbot"] + payloads {
                let phone = server.device(MemoryStorage())
                try await phone.start()
                let user = try await phone.logIn(with: .guest).member.userId
                try await Self.ban(user, on: server, reason: reason)
                banned.append((user, reason))
            }
            for (user, reason) in banned {
                let quoted = reason.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                for (name, path) in [
                    ("member", "members/\(user)"), ("release", "do/ban.released?user=\(user)"),
                    ("search", "members?q=\(quoted)"), ("find", "find?q=\(quoted)"),
                ] {
                    let url = try #require(URL(string: "\(server.url)/console/apps/game/\(path)"))
                    try await driver.open(url)
                    trees[name, default: []].append(Self.strings(try await driver.script(tree)))
                    #expect(try await driver.script("return window.xss || 0") == .integer(0), "\(path)")
                    try await Self.expectClean(driver, path)
                }
            }
            for (name, found) in trees { #expect(Set(found).count == 1, "\(name)") }
        }
    }
}

extension Moment {
    /// The moment of the machine, which a server in the tests shares until its clock is put forward.
    fileprivate static func now(_ server: LiveServer) -> Moment {
        Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}
