import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The console without a mouse (UI-KEYB).
@Suite(.timeLimit(.minutes(20)), .serialized, .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct ConsoleKeyboardBrowserTests {
    /// What is wrong with the element that has the focus: it can't be seen, or comes before the one that had the focus until now.
    private static let focus = """
        const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e), bad = [];
        if (e == document.body) return bad;
        const name = e.tagName + ' ' + (e.textContent || e.name).trim().slice(0, 30);
        if (style.outlineStyle == 'none' || parseFloat(style.outlineWidth) < 2) bad.push('no ring: ' + name);
        const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 2);
        const y = Math.min(Math.max(box.top + Math.min(box.height, innerHeight) / 2, 1), innerHeight - 2);
        const top = document.elementFromPoint(x, y);
        if (!top || !(e.contains(top) || top.contains(e))) bad.push('hidden: ' + name + ' behind ' + (top && top.outerHTML.slice(0, 60)));
        const last = window.lastFocus;
        if (last && last != e && last.isConnected && !(last.compareDocumentPosition(e) & 4)) bad.push('out of order: ' + name);
        window.lastFocus = e;
        return bad;
        """

    /// Presses *Tab* until an element has the focus, looking at every stop.
    private static func tab(to selector: String, _ driver: WebDriver) async throws {
        for _ in 0..<150 {
            try await driver.press("\u{e004}")
            let faults = try await driver.strings(focus)
            #expect(faults.isEmpty, "\(selector): \(faults)")
            if try await driver.script("return document.activeElement.matches(\"\(selector)\")") == .bool(true) {
                return
            }
        }
        Issue.record("Tab does not lead to \(selector)")
    }

    @Test("UI-KEYB: a ban and its Undo by keys alone; the focus is seen at every stop, in the order of reading")
    func walk() async throws {
        try await ConsolePerson.run { server, driver, person in
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            try await person.open("/apps/game")
            // The first stop leads past the navigation.
            try await Self.tab(to: "a.skip", driver)
            try await driver.press("\u{e007}")
            #expect(try await driver.script("return document.activeElement.id") == .string("main"))
            try await driver.press("/")
            #expect(try await driver.script("return document.activeElement.id") == .string("palette"))
            try await driver.press(user.rawValue + "\u{e007}")
            try await driver.wait(forAddress: "/members/\(user)")
            try await Self.tab(to: "a[href*='do/member.banned']", driver)
            try await driver.press("\u{e007}")
            try await driver.wait(forAddress: "/do/member.banned")
            try await Self.tab(to: "#f-length", driver)
            // Down to *7 days*.
            try await driver.press("\u{e015}")
            try await Self.tab(to: "main form button[formaction]", driver)
            try await driver.press("\u{e007}")
            try await driver.wait(forAddress: "/check")
            #expect(try await driver.text(of: "ul.consequences").contains("7 days"))
            try await Self.tab(to: "#f-reason", driver)
            // A change without a reason comes back, with the focus on what is wrong, and a link to the field.
            try await driver.script("document.querySelector('#f-reason').required = false")
            try await Self.tab(to: ".will .buttons button", driver)
            try await driver.press("\u{e007}")
            _ = try await driver.text(of: "#p-reason")
            // The browser's console names the status of the page, 422.
            let complaints = try await driver.complaints()
            #expect(complaints.count == 1, "\(complaints)")
            #expect(try await driver.script("return document.activeElement.className") == .string("notice bad"))
            #expect(try await driver.axe().isEmpty)
            try await Self.tab(to: "[href='#f-reason']", driver)
            try await driver.press("\u{e007}")
            #expect(try await driver.script("return document.activeElement.id") == .string("f-reason"))
            try await driver.press("aimbot")
            try await Self.tab(to: ".will .buttons button", driver)
            try await driver.press("\u{e007}")
            #expect(try await driver.text(of: "p.notice.good").contains("Undo"))
            #expect(await isThrownOut(phone))
            try await Self.tab(to: "p.notice.good button", driver)
            try await driver.press("\u{e007}")
            try await driver.wait(forText: "The ban is released.", in: "p.notice.good")
            #expect(try await phone.logIn(with: .guest).member.userId == user)
            try await person.expectClean("the walk by keys")
        }
    }

    @Test("UI-KEYB: Ctrl-K finds on every page while somebody types; arrows choose, Escape gives the focus back")
    func palette() async throws {
        try await ConsolePerson.run { server, driver, person in
            let phone = server.device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            let isOpen = "const palette = document.querySelector('.palette'); return !!palette && palette.open"
            let active = "const e = document.activeElement; return e.id || e.getAttribute('href') || e.tagName"
            func open() async throws { try await driver.press("k", holding: "\u{e009}") }
            for path in ["/me", "/health", "/apps/game/members"] {
                try await person.open(path)
                try await Self.tab(to: "a.skip", driver)
                try await open()
                #expect(try await driver.script(active) == .string("palette"), "\(path)")
                try await driver.press("\u{e00c}")
                #expect(try await driver.script(isOpen) == .bool(false))
                #expect(try await driver.script(active) == .string("#main"), "\(path)")
            }
            try await open()
            try await driver.press(String(user.rawValue.prefix(10)))
            let link = ".palette .found a[href='/console/apps/game/members/\(user)']"
            _ = try await driver.text(of: link)
            let told = "return document.querySelector('.palette [role=status]').textContent"
            #expect(try await driver.script(told) == .string("1 result"))
            #expect(try await driver.axe().isEmpty)
            try await driver.press("\u{e015}")
            #expect(try await driver.script(active) == .string("/console/apps/game/members/\(user)"))
            try await driver.press("\u{e013}")
            #expect(try await driver.script(active) == .string("palette"))
            try await driver.press("\u{e015}\u{e007}")
            try await driver.wait(forAddress: "/members/\(user)")
            // The words of a change fill in its form.
            try await open()
            try await driver.press("ban \(user.rawValue) 7 days")
            let change = ".palette .found a[href*='do/member.banned'][href*='length=7d']"
            _ = try await driver.text(of: change)
            try await driver.press("\u{e015}\u{e007}")
            try await driver.wait(forAddress: "/do/member.banned")
            #expect(try await driver.script("return document.querySelector('#f-length').value") == .string("7d"))
            // A secret key is in no address: nothing is asked while it is typed.
            try await open()
            try await driver.press("gsk_" + String(repeating: "a", count: 43))
            let asked = """
                return performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('gsk_'))
                """
            #expect(try await driver.strings(asked).isEmpty)
            try await person.expectClean("the palette")
        }
    }

    @Test("UI-KEYB: single keys find, go, move, open and list themselves; switched off in /me they do nothing")
    func singleKeys() async throws {
        try await ConsolePerson.run { server, driver, person in
            try await server.seedForConsole()
            let active = "return document.activeElement.id || document.activeElement.tagName"
            try await person.open("/apps/game")
            try await driver.press("?")
            try await driver.wait(forAddress: "/console/keys")
            #expect(try await driver.text(of: "main dl.facts").contains("Next and previous row"))
            #expect(try await driver.axe().isEmpty)
            // The pages of the app are still beside it, and the menu of the person leads there, too.
            #expect(try await driver.text(of: ".side").contains("Members"))
            #expect(
                try await driver.script("return !!document.querySelector('#account a[href*=\"/keys\"]')") == .bool(true)
            )
            // No key works beneath the palette.
            try await driver.press("/?")
            #expect(try await driver.script("return document.getElementById('palette').value") == .string("?"))
            try await driver.press("\u{e00c}")
            let places = [
                "m": "/members", "b": "/bans", "l": "/launching", "p": "/providers", "a": "/audit", "o": "/apps/game",
                "j": "/console/jobs",
            ]
            for (key, place) in places {
                try await person.open("/apps/game/members")
                try await driver.press("g\(key)")
                try await driver.wait(forAddress: place)
            }
            try await person.open("/apps/game/members")
            try await driver.press("jj")
            #expect(
                try await driver.script("return document.activeElement == document.querySelectorAll('main tbody a')[1]")
                    == .bool(true))
            try await driver.press("k\u{e007}")
            try await driver.wait(forAddress: "/apps/game/members/")
            // A key that is typed into a field is a letter, and Escape leaves the palette.
            try await driver.press("/?g")
            #expect(try await driver.script("return document.getElementById('palette').value") == .string("?g"))
            try await driver.press("\u{e00c}")
            #expect(try await driver.script(active) == .string("BODY"))

            try await person.open("/me")
            try await driver.click("#f-shortcuts")
            try await driver.click("main form button.primary")
            try await driver.wait(forAddress: "saved=1")
            try await person.open("/apps/game/members")
            let before = try await driver.url()
            try await driver.press("?/gbjo")
            #expect(try await driver.script(active) == .string("BODY"))
            #expect(try await driver.url() == before)
            try await person.expectClean("single keys")
        }
    }
}
