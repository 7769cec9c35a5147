import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// The operators' manual, docs/console.md.
@Suite struct ConsoleDocumentTests {
    private static let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../docs").standardizedFileURL

    private static func pictures() throws -> [String] {
        let text = try String(contentsOf: docs.appending(path: "console.md"), encoding: .utf8)
        return text.matches(of: /!\[[^\]]+\]\(images\/console\/([a-z-]+)\.png\)/).map { String($0.output.1) }
    }

    @Test("UI-DOCS: each picture that the manual names exists, each is named once, and they are small")
    func pictures() throws {
        let named = try Self.pictures()
        let folder = Self.docs.appending(path: "images/console")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
            .filter { $0.pathExtension == "png" }
        #expect(named.sorted() == files.map { $0.deletingPathExtension().lastPathComponent }.sorted())
        let bytes = try files.compactMap { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize }.reduce(0, +)
        #expect(bytes < 2_500_000)
    }

    @Test("UI-DOCS: each screen of the navigation has its picture in the manual")
    func screens() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.developer()
            let page = try await kim.get("/console/apps/game")
            let side = try #require(
                page.html.firstMatch(of: /<nav class="side".*?<\/nav>/.dotMatchesNewlines())
            ).output
            let screens = side.matches(of: /href="([^"]*)"/).map { link in
                let parts = link.output.1.prefix { $0 != "?" }.split(separator: "/")
                return parts.count == 1 ? "home" : parts.count == 3 ? "overview" : String(parts.last ?? "")
            }
            #expect(screens.count > 15)
            #expect(Set(screens).subtracting(try Self.pictures()).isEmpty)
            // The help link of each screen leads to a heading of the manual.
            for link in side.matches(of: /href="([^"]*)"/) {
                let screen = try await kim.get(String(link.output.1))
                let help = try #require(screen.links.first { $0.hasPrefix("/console/help/") }, "\(link.output.1)")
                let page = try await kim.get(help)
                #expect(page.status == 200 && page.html.contains("<article"), "\(help)")
            }
            #expect(try await kim.get("/console/help/none").status == 404)
        }
    }
}
