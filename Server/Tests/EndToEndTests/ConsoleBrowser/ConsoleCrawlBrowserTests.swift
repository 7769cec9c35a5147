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

/// Every page of the operator console, as assistive technology, a small screen and a dark room find it.
@Suite(.timeLimit(.minutes(40)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleCrawlBrowserTests {
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
        // The code of the first steps reads `error.code`.
        const text = document.body.innerText.replaceAll('error.code', '');
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

    /// The links of a page that lead to other pages of the console.
    static let links = """
        return [...document.querySelectorAll('a[href]')].map(a => new URL(a.getAttribute('href'), location).href).filter(a => a.startsWith(location.origin + '/console'))
          .map(a => a.slice(location.origin.length).split('#')[0]).filter(a => !a.includes('/export') && !a.endsWith('.csv'));
        """

    /// Who looks at the pages.
    struct Visitor: Sendable, CustomTestStringConvertible {
        let language: String
        let role: String
        var testDescription: String { "\(role), \(language)" }
    }

    @Test(
        "UI-A11Y: axe-core is there, and finds a picture without a text",
        .enabled(if: Axe.isRequired, "axe-core can't be fetched: no page was tried with it"))
    func axe() async throws {
        // Without its file the crawl below would not try what it says it tries.
        _ = try #require(Axe.script)
        try await ConsolePerson.run { _, driver, _ in
            #expect(try await driver.axe().isEmpty)
            try await driver.script("document.querySelector('main').append(document.createElement('img'))")
            #expect(try await driver.axe().map { $0.prefix { $0 != ":" } } == ["image-alt"])
        }
    }

    // Nothing here depends on the language. What does is measured by the test of the layout, on every page and in each language.
    @Test(
        "UI-LINKS, UI-A11Y, UI-DARK, CON-12: every page that links lead to is there, says nothing on the browser's console, has labels, headings and contrast, and fits 320 pixels",
        arguments: [Visitor(language: "en", role: "owner"), Visitor(language: "ja", role: "viewer")])
    func crawl(visitor: Visitor) async throws {
        let grants = visitor.role == "owner" ? ["*": "owner"] : ["game": visitor.role]
        try await ConsolePerson.run(language: visitor.language, grants: grants) { server, driver, person in
            try await server.seedForConsole()
            let play = server.device("alice", MemoryStorage())
            try await play.start()
            _ = try await play.logIn(with: .google)
            var (waiting, seen): ([String], Set<String>) = (["/console", "/console/me"], [])
            var kinds: [String: Int] = [:]
            while let path = waiting.first, seen.count < 120 {
                waiting.removeFirst()
                let kind = PageKind.of(path)
                guard kinds[kind, default: 0] < PageKind.limit(of: kind), seen.insert(path).inserted else { continue }
                kinds[kind, default: 0] += 1
                try await driver.open(try #require(URL(string: path, relativeTo: server.url)).absoluteURL)
                // A file, such as a list as CSV, is no page.
                guard try await driver.script("return document.contentType") == .string("text/html") else { continue }
                waiting += try await driver.strings(Self.links).filter { !seen.contains($0) }
                let faults = try await driver.strings(Self.look)
                #expect(faults.isEmpty, "\(path), \(visitor): \(faults)")
                try await person.expectClean(path)
                try await Self.expectColors(driver, "\(path), \(visitor)")
                try await driver.show(width: 320, height: 800)
                // A scroll bar takes some of the 320 pixels.
                let excess = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                #expect(try await driver.script(excess) == .integer(0), "\(path), \(visitor) is too wide")
                try await driver.show(width: 1_280, height: 860)
            }
            #expect(seen.count > 10)
        }
    }

    /// Tries what can be read and used, in light and in dark.
    private static func expectColors(_ driver: WebDriver, _ place: String) async throws {
        for scheme in ["light", "dark"] {
            try await driver.prefer(scheme)
            let pale = try await driver.strings(contrast)
            #expect(pale.isEmpty, "\(place), \(scheme): \(pale.prefix(5))")
            // Nothing but colours differs in the dark.
            let faults = try await driver.axe(onlyColors: scheme == "dark")
            #expect(faults.isEmpty, "\(place), \(scheme): \(faults)")
        }
        try await driver.prefer("light")
    }
}
