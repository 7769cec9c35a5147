import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The layout of every page of the console, measured in the browser.
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleLayoutBrowserTests {
    private static let widths = [1_280, 768, 400]

    /// A page, or one that a form of the page leads to.
    private enum Step: Hashable {
        case open(String)
        /// The form with what is preset, and with a long word where nothing is.
        case send(String)
        /// The form without a text.
        case sendEmpty(String)
    }

    @Test(
        "UI-LAYOUT: on every page, at three widths and in every language, no text leaves its box or lies on another, no page scrolls sideways, controls have 24 pixels, and all is translated"
    )
    func layout() async throws {
        try await ConsolePerson.run { server, driver, person in
            let user = try await server.seedEveryText(driver, person)
            _ = try await StoredTexts.append(PageMeasure.longWord, in: server.database)
            server.passSecond()
            var faults = Faults()
            let steps = try await Self.crawl(from: user, server, driver, &faults)
            #expect(steps.count > 110)
            for language in ["ko", "ja"] {
                try await Self.read(in: language, server, driver)
                for step in steps where try await Self.take(step, server, driver) {
                    try await Self.measure(step, language, driver, &faults)
                }
            }
            for language in ["en", "ko", "ja"] {
                try await Self.measureSignedOut(language, server, driver, &faults)
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

    /// Follows the links in English, and measures.
    private static func crawl(
        from user: UserID, _ server: LiveServer, _ driver: WebDriver, _ faults: inout Faults
    ) async throws -> [Step] {
        var waiting = [
            "/console", "/console/me", "/console/apps/game/members/\(user)", "/console/apps/game/find?q=nobody",
            "/console/apps/game/members/nobody", "/console/nowhere", "/console/apps/game/nowhere",
        ]
        var (seen, steps): (Set<String>, [Step]) = ([], [])
        while !waiting.isEmpty {
            let path = waiting.removeFirst()
            guard seen.insert(kind(of: path)).inserted, try await take(.open(path), server, driver) else { continue }
            waiting += try await driver.strings(ConsoleCrawlBrowserTests.links).filter { !seen.contains(kind(of: $0)) }
            steps.append(.open(path))
            try await measure(.open(path), "en", driver, &faults)
            for step in [Step.send(path), .sendEmpty(path)] where try await take(step, server, driver) {
                steps.append(step)
                try await measure(step, "en", driver, &faults)
            }
        }
        return steps
    }

    /// One page of each kind is enough: ids and filters differ.
    private static func kind(of path: String) -> String {
        String(path.prefix { $0 != "?" })
            .replacing(/(members|numbers|refusals|devices|help)\/[^\/]+/) { "\($0.1)/ONE" }
    }

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
                const form = document.querySelector("main form[action$='/check']");
                if (!form) return false;
                form.noValidate = true;
                for (const e of form.querySelectorAll('input:not([type=hidden]):not([type=checkbox]), textarea')) {
                  if (\(isEmpty)) e.value = '';
                  else if (!e.value) e.value = e.type == 'number' ? '1' : e.type == 'text' ? 'abcdefghij' : '';
                }
                return true;
                """)
            guard hasForm == .bool(true) else { return false }
            try await driver.send("main form[action$='/check'] button.primary")
            return true
        }
    }

    /// Chooses the language as an operator does.
    private static func read(in language: String, _ server: LiveServer, _ driver: WebDriver) async throws {
        try await driver.open(server.url.appending(path: "console"))
        try await driver.click("header button[value=\(language)]")
        // Pages of errors, and those before the sign-in, ask the browser.
        try await driver.ask(for: language)
    }

    private static func measureSignedOut(
        _ language: String, _ server: LiveServer, _ driver: WebDriver, _ faults: inout Faults
    ) async throws {
        try await driver.ask(for: language)
        let token = try await server.administration.createOperator("new-\(language)", grants: ["game": "support"])
        try await driver.forget(server.url)
        for path in ["/console/sign-in", "/console/enrol/\(token)", "/console/enrol/over", "/console/nowhere"] {
            guard try await take(.open(path), server, driver) else { continue }
            let page = path.contains(token) ? "/console/enrol/TOKEN" : path
            try await measure(.open(page), language, driver, &faults)
            let hasForm = try await driver.script("return !!document.querySelector('main form')")
            guard hasForm == .bool(true) else { continue }
            try await driver.script("document.querySelector('main form').noValidate = true")
            try await driver.send("main form button.primary")
            try await measure(.sendEmpty(page), language, driver, &faults)
        }
    }

    /// Measures the page that is open. Only colours differ in the dark, so that its layout is measured in one language.
    private static func measure(
        _ step: Step, _ language: String, _ driver: WebDriver, _ faults: inout Faults
    ) async throws {
        let page =
            switch step {
            case .open(let path): path
            case .send(let path): "\(path) sent"
            case .sendEmpty(let path): "\(path) sent empty"
            }
        if language != "en" {
            let texts = try await driver.strings(PageMeasure.texts)
            faults.add(Catalog.untranslated(in: texts, language), on: page, language)
        }
        for scheme in language == "en" ? ["dark", "light"] : ["light"] {
            try await driver.prefer(scheme)
            for width in widths {
                try await driver.show(width: width, height: 860)
                faults.add(
                    try await driver.strings(PageMeasure.faults), on: page, "\(width) \(scheme) \(language)")
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
    }
}

extension WebDriver {
    /// Sends a form, and waits for the page that answers: a click returns while the former page is still shown.
    fileprivate func send(_ button: String) async throws {
        try await script("window.isFormer = true")
        try await click(button)
        for _ in 0..<200 {
            let isThere = try? await script("return !window.isFormer && document.readyState == 'complete'")
            if isThere == .bool(true) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(text: "no page answers \(button)")
    }
}
