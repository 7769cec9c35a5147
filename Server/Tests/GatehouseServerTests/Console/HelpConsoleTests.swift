import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The manual in the console: its sections, the search over them, and the error codes.
@Suite struct HelpConsoleTests {
    private static let app = "/console/apps/\(TestServer.app)"

    @Test("Help is the section of the page, with the way back, in the reader's language")
    func section() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let from = ["Referer": "\(TestServer.origin)\(Self.app)/bans?state=all"]
            let page = try await kim.get("/console/help/bans", headers: from)
            #expect(page.text.contains("Bans") && page.links.contains("\(Self.app)/bans?state=all"))
            // The app's pages stay in the navigation, also on the sections that this one leads to.
            #expect(page.links.contains("\(Self.app)/members"))
            let contents = try await kim.get("/console/help", headers: from)
            #expect(contents.links.contains("/console/help/error-codes?in=\(TestServer.app)"))
            // An address of somewhere else is no way back.
            for other in [
                "https://example.com/x", "\(TestServer.origin)//example.com", "\(TestServer.origin)/console/find?q=a",
            ] {
                let page = try await kim.get("/console/help/bans", headers: ["Referer": other])
                #expect(!page.html.contains("Back to the page"), "\(other)")
            }
            #expect(try await kim.submit(page, ["to": "ja"], to: "/me/language").status == 303)
            #expect(try await kim.get("/console/help/bans", headers: from).html.contains("元のページへ戻る"))
        }
    }

    @Test("A search over the manual finds its sections, and repeats what was typed as a text")
    func search() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let page = try await kim.get("/console/help?q=grace+ban&in=\(TestServer.app)")
            #expect(page.status == 200 && page.links.contains("/console/help/grace-bans?in=\(TestServer.app)"))
            #expect(page.html.contains(#"<input type="hidden" name="in" value="\#(TestServer.app)">"#))
            #expect(try await kim.get("/console/help?q=xylophone").text.contains("No section of the manual"))
            #expect(!(try await kim.get("/console/help?q=%3Cb%3Eban")).html.contains("<b>"))
        }
    }

    @Test("Each code with which a call is refused has its meaning and leads to the app's refused calls")
    func codes() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let page = try await kim.get("/console/help/error-codes?in=\(TestServer.app)")
            #expect(page.html.contains(#"<tr id="c-3302">"#))
            #expect(page.text.contains("Identity belongs to another member") && page.text.contains("BANNED_MEMBER"))
            #expect(page.links.contains("\(Self.app)/refusals?code=3302"))
            #expect(page.html.utf8.count < 30 * 1_024)
            #expect(!(try await kim.get("/console/help/error-codes")).links.contains { $0.contains("refusals?code=") })
        }
    }
}
