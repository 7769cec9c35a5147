import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The layout of every page of the console, measured in the browser.
@Suite(.timeLimit(.minutes(40)), .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleLayoutBrowserTests {
    /// A page, or one that a form of the page leads to.
    private enum Step: Hashable {
        case open(String)
        /// The form with what is preset, and with a long word where nothing is.
        case send(String)
        /// The form without a text.
        case sendEmpty(String)

        var page: String {
            switch self {
            case .open(let path): path
            case .send(let path): "\(path) sent"
            case .sendEmpty(let path): "\(path) sent empty"
            }
        }
    }

    /// Who looks at the pages, and how.
    private struct Look {
        let language: String
        var role = "owner"
        var widths = [1_280, 1_024, 768, 400]
        /// Whether the page is measured in the dark, too. It is not loaded again for that.
        var isDark = false

        static let owner = ["en", "ko", "ja"].map { Look(language: $0, isDark: true) }
        static let others = [
            Look(language: "ko", role: "support", widths: [1_280, 400]),
            Look(language: "ja", role: "viewer", widths: [1_280, 400]),
        ]
        /// With texts as people write them, a wide window has room for each column.
        static let common = Look(language: "en", widths: [1_280])
    }

    /// Two browsers, each with half of the work.
    enum Share: CaseIterable { case english, others }

    @Test(
        "UI-LAYOUT: on every page, at four widths, in light and dark, in every language and role, no text leaves its box, is cut, or lies on another or under one, no page scrolls sideways or is longer than 3,000 pixels, controls have 24, and all is translated",
        arguments: Share.allCases)
    func layout(share: Share) async throws {
        try await ConsolePerson.run { server, driver, person in
            let user = try await server.seedEveryText(driver, person)
            var faults = Faults()
            let looks =
                share == .english ? Look.owner.filter { $0.language == "en" } : Look.owner.dropFirst().map { $0 }
            var steps = share == .english ? try await Self.results(of: user, server, driver, &faults) : []
            if share == .english {
                for step in steps { try await Self.visit(step, Look.common, server, driver, &faults) }
                steps += try await Self.crawl(as: Look.common, from: user, server, driver, &faults)
            }
            _ = try await StoredTexts.append(PageMeasure.longWord, in: server.database)
            server.passSecond()
            for look in looks {
                try await Self.read(in: look.language, server, driver)
                if steps.isEmpty {
                    steps = try await Self.crawl(as: look, from: user, server, driver, &faults)
                } else {
                    for step in steps { try await Self.visit(step, look, server, driver, &faults) }
                }
            }
            #expect(steps.count > 130)
            for look in looks { try await Self.measureSignedOut(look, server, driver, &faults) }
            if share == .english {
                for look in Look.others {
                    try await driver.forget(server.url)
                    _ = try await ConsolePerson.enrol(server, driver, ["game": look.role], as: "new-\(look.role)")
                    try await Self.read(in: look.language, server, driver)
                    let seen = try await Self.crawl(as: look, from: user, server, driver, &faults)
                    #expect(seen.count > 30)
                }
            }
            #expect(faults.all.isEmpty, "\(faults.all.count) faults:\n\(faults.text)")
        }
    }

    /// Each fault of a page's element counts once, however many languages and widths have it, and one of the frame once for all pages.
    private struct Faults {
        private(set) var all: [String: Set<String>] = [:]

        mutating func add(_ found: [String], on page: String, _ variant: String) {
            for fault in found {
                let isOfFrame = ["header", "nav.", "footer", ".side", ".top"].contains { fault.contains($0) }
                all[isOfFrame ? fault : "\(page): \(fault)", default: []].insert(variant)
            }
        }

        var text: String {
            all.map { "\($0) [\($1.sorted().joined(separator: " "))]" }.sorted().joined(separator: "\n")
        }
    }

    /// Follows the links, and measures.
    private static func crawl(
        as look: Look, from user: UserID, _ server: LiveServer, _ driver: WebDriver, _ faults: inout Faults
    ) async throws -> [Step] {
        var waiting = [
            "/console", "/console/me", "/console/apps/game/members/\(user)", "/console/find?app=game&q=nobody",
            "/console/apps/game/members/nobody", "/console/nowhere", "/console/apps/game/nowhere",
        ]
        var (opened, kinds, states): (Set<String>, [String: Int], Set<String>) = ([], [:], [])
        var steps: [Step] = []
        while !waiting.isEmpty {
            let path = waiting.removeFirst()
            let kind = PageKind.of(path)
            guard opened.insert(String(path.prefix { $0 != "?" })).inserted,
                kinds[kind, default: 0] < (kind.hasSuffix("/members/ONE") ? 12 : PageKind.limit(of: kind))
            else { continue }
            kinds[kind, default: 0] += 1
            guard try await take(.open(path), server, driver) else { continue }
            // Members differ by their states, which their addresses do not say.
            if kind.hasSuffix("/members/ONE") {
                let state = try await driver.strings(
                    "return [...document.querySelectorAll('main .verdict .badge')].map(e => e.textContent)")
                guard states.insert(state.joined(separator: " ")).inserted else { continue }
            }
            waiting += try await driver.strings(ConsoleCrawlBrowserTests.links)
            steps.append(.open(path))
            try await measure(.open(path), look, driver, &faults)
            for step in [Step.send(path), .sendEmpty(path)] {
                guard try await take(step, server, driver) else { break }
                steps.append(step)
                try await measure(step, look, driver, &faults)
            }
        }
        return steps
    }

    /// Does what leads to a page of its own, such as one with a secret, and measures that.
    ///
    /// - Returns: the pages with a result line, which can be opened again.
    private static func results(
        of user: UserID, _ server: LiveServer, _ driver: WebDriver, _ faults: inout Faults
    ) async throws -> [Step] {
        let device = String(repeating: "B", count: 42) + "A"
        var steps: [Step] = []
        for action in [
            "test-device.added?device=\(device)", "ban.released?user=\(user)", "member.banned?user=\(user)",
            "secret.created",
        ] {
            let path = "/console/apps/game/do/\(action)"
            guard try await take(.open(path), server, driver) else { continue }
            let hasForm = try await driver.script("return !!document.querySelector(\"\(look)\")")
            if hasForm == .bool(true) { try await driver.send(look) }
            guard try await driver.script("return !!document.querySelector('#f-reason')") == .bool(true) else {
                try await measure(.send(path), Look.common, driver, &faults)
                continue
            }
            try await driver.type("seen by two of us", into: "#f-reason")
            try await driver.send(".will .buttons button")
            let address = try await driver.url()
            #expect(address.contains("done=") || action.hasPrefix("secret."), "\(action): \(address)")
            guard let url = URL(string: address), let query = url.query(), query.contains("done=") else {
                try await measure(.send(path), Look.owner[0], driver, &faults)
                continue
            }
            steps.append(.open("\(url.path)?\(query)"))
        }
        return steps
    }

    /// The button that asks what will happen: that of a change's page, and that of a provider's settings.
    private static let look = "main form button[formaction*='/check'], main form[action*='/check'] button.primary"

    /// Goes to a page.
    ///
    /// - Returns: whether it is one. A list as CSV is none, and not every page has a form.
    private static func take(_ step: Step, _ server: LiveServer, _ driver: WebDriver) async throws -> Bool {
        switch step {
        case .open(let path):
            try await driver.open(try #require(URL(string: path, relativeTo: server.url)).absoluteURL)
            return try await driver.script("return document.contentType") == .string("text/html")
        case .send(let path), .sendEmpty(let path):
            if case .sendEmpty = step { guard try await take(.open(path), server, driver) else { return false } }
            let isEmpty = if case .sendEmpty = step { true } else { false }
            let hasForm = try await driver.script(
                """
                const look = document.querySelector("\(look)");
                if (!look) return false;
                const form = look.form;
                form.noValidate = true;
                for (const e of form.querySelectorAll('input:not([type=hidden]):not([type=checkbox]), textarea')) {
                  if (\(isEmpty)) e.value = '';
                  else if (!e.value) e.value = e.type == 'number' ? '1' : e.type == 'text' ? 'abcdefghij' : '';
                }
                return true;
                """)
            guard hasForm == .bool(true) else { return false }
            try await driver.send(look)
            return true
        }
    }

    /// Chooses the language as an operator does.
    private static func read(in language: String, _ server: LiveServer, _ driver: WebDriver) async throws {
        try await driver.open(server.url.appending(path: "console"))
        try await driver.click(".person .opens")
        try await driver.click("header button[value=\(language)]")
        // Pages of errors, and those before the sign-in, ask the browser.
        try await driver.ask(for: language)
    }

    private static func measureSignedOut(
        _ look: Look, _ server: LiveServer, _ driver: WebDriver, _ faults: inout Faults
    ) async throws {
        try await driver.ask(for: look.language)
        let token = try await server.runOnServer(
            InviteOperator(name: "new-\(look.language)", grants: [.app("game"): .support])
        )
        .text
        try await driver.forget(server.url)
        for path in ["/console/sign-in", "/console/enrol/\(token)", "/console/enrol/over", "/console/nowhere"] {
            guard try await take(.open(path), server, driver) else { continue }
            let page = path.contains(token) ? "/console/enrol/TOKEN" : path
            try await measure(.open(page), look, driver, &faults)
            let hasForm = try await driver.script("return !!document.querySelector('main form')")
            guard hasForm == .bool(true) else { continue }
            try await driver.script("document.querySelector('main form').noValidate = true")
            try await driver.send("main form button.primary")
            try await measure(.sendEmpty(page), look, driver, &faults)
        }
    }

    private static func visit(
        _ step: Step, _ look: Look, _ server: LiveServer, _ driver: WebDriver, _ faults: inout Faults
    ) async throws {
        guard try await take(step, server, driver) else { return }
        try await measure(step, look, driver, &faults)
    }

    /// Measures the page that is open.
    private static func measure(
        _ step: Step, _ look: Look, _ driver: WebDriver, _ faults: inout Faults
    ) async throws {
        let texts = look.language == "en" ? [] : try await driver.strings(PageMeasure.texts)
        faults.add(Catalog.untranslated(in: texts, look.language), on: step.page, look.language)
        faults.add(
            Catalog.missing(in: try await driver.strings(PageMeasure.marked)), on: step.page, look.language)
        for scheme in look.isDark ? ["dark", "light"] : ["light"] {
            if look.isDark { try await driver.prefer(scheme) }
            for width in look.widths {
                try await driver.show(width: width, height: 860)
                faults.add(
                    try await driver.strings(PageMeasure.faults), on: step.page,
                    "\(width) \(scheme) \(look.language) \(look.role)")
            }
        }
        try await driver.show(width: 1_280, height: 860)
    }

    /// The console's words.
    private enum Catalog {
        private static let all = ["en", "ko", "ja"].reduce(into: [String: [String: String]]()) { all, language in
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/GatehouseConsole/Web/\(language).json")
            let data = (try? Data(contentsOf: file)) ?? Data()
            all[language] = (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
        }

        /// English texts that the language writes in another way, each where no key of the language has the same text.
        private static let english = ["ko", "ja"].reduce(into: [String: Set<String>]()) { result, language in
            let own = all[language, default: [:]]
            let texts = all["en", default: [:]].filter { key, text in own[key] != text && !text.contains("{") }
            // The test's app is called "game", as a door is in English.
            result[language] = Set(texts.values).subtracting(own.values).subtracting(["game"])
        }

        static func untranslated(in texts: [String], _ language: String) -> [String] {
            let keys = all["en", default: [:]]
            return texts.filter { english[language, default: []].contains($0) || keys[$0] != nil && $0.contains(".") }
                .map { "untranslated | \($0)" }
        }

        /// What a page shows of a text that no catalog has: its name, such as `members.title`.
        static func missing(in words: [String]) -> [String] {
            let groups = Set(all["en", default: [:]].keys.compactMap { $0.split(separator: ".").first })
            return words.filter { groups.contains($0.prefix { $0 != "." }) && !$0.contains(PageMeasure.longWord) }.map {
                "no text | \($0)"
            }
        }
    }
}

extension WebDriver {
    /// Sends a form, and waits for the page that answers: a click returns while the former page is still shown.
    fileprivate func send(_ button: String) async throws {
        try await script("window.isFormer = true")
        try await click(button)
        try await wait(for: "page that answers \(button)") {
            let isThere = try? await script("return !window.isFormer && document.readyState == 'complete'")
            return isThere == .bool(true)
        }
    }
}
