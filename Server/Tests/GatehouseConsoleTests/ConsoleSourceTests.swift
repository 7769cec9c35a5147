import Foundation
import Testing

@testable import GatehouseConsole

/// What holds for every page of the console, as its sources show it.
@Suite struct ConsoleSourceTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/GatehouseConsole")

    private static func sources() throws -> [(name: String, text: String)] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        let files = all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 30)
        return try files.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }

    @Test("CON-1: every form that changes something carries the session's token, but those of somebody who has none")
    func tokens() throws {
        var forms: [String: Int] = [:]
        for (name, text) in try Self.sources() {
            let count = text.matches(of: /form\(\s*\.post\b/).count
            if count > 0 { forms[name] = count }
        }
        // `changing`, the form of an error's page, which has the token by itself, and the two without a session.
        let expected = ["Layout.swift": 1, "ConsoleMiddleware.swift": 1, "SignInPages.swift": 2]
        #expect(forms == expected)
    }

    @Test("What a person chooses of a list is kept for every list")
    func lists() throws {
        let declared = try Self.sources().flatMap { $0.text.matches(of: /ChosenList<.+>\(\n\s*name: "(\w+)"/) }
        #expect(Set(declared.map { String($0.output.1) }) == Set(Console.chosenColumns.keys))
    }

    @Test("No page has words of its own, and none a script or a style in an attribute")
    func words() throws {
        // Names and marks that are the same in every language.
        let allowed: Set = ["Gatehouse", "gatehouse", "operator", "create", "NAME", "role", "owner", "UTC"]
        for (name, text) in try Self.sources() {
            // A text of a page stands alone in the braces of an element.
            let element =
                /(?:\)|\b(?:[a-z]|[bdl][a-z]{1,2}|h[1-6]|t[dhr]|code|span|small|strong|button|summary|title|label)) \{\s*"([^"\n]*)"\s*\}/
            for match in text.matches(of: element) {
                let shown = String(match.output.1).replacing(/\\\([^)]*\)*/, with: " ")
                let words = shown.split { !$0.isLetter }.map(String.init)
                #expect(words.allSatisfy(allowed.contains), "\(name): \(match.output.1)")
            }
            #expect(text.firstMatch(of: /(?:Attribute|element)\("(?:style|on[a-z]+|script)"/) == nil, "\(name)")
        }
    }

    @Test("UI-DOCS: the pictures of the manual, and all of them on one, show the console in the style that it has")
    func pictures() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/images/console/style.txt").standardizedFileURL
        #expect(
            (try? String(contentsOf: file, encoding: .utf8)) == "\(Assets().style.address)\n",
            "GATEHOUSE_WRITE_DOCS=1 make test-browser takes the pictures again")
    }

    @Test("The style sheet and the script stay small", arguments: [("console.css", 30_720), ("console.js", 12_288)])
    func sizes(name: String, limit: Int) throws {
        let size = try Data(contentsOf: Self.folder.appending(path: "Web/\(name)")).count
        #expect(size <= limit)
    }
}
