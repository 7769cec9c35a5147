import Foundation
import Testing

@testable import GatehouseConsole

@Suite struct WordTests {
    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{([a-z]+)\}/.ignoresCase()).map { String($0.output.1) })
    }

    @Test("Each language has the same texts, with the same values in them", arguments: ["ko", "ja"])
    func catalogs(language: String) {
        let english = Words.catalog("en")
        let other = Words.catalog(language)
        #expect(english.count > 100)
        // A form for one thing exists only where a language has one.
        func needed(_ keys: some Sequence<String>) -> Set<String> { Set(keys.filter { !$0.hasSuffix(".one") }) }
        #expect(needed(english.keys).subtracting(other.keys).sorted() == [])
        #expect(needed(other.keys).subtracting(english.keys).sorted() == [])
        for (key, text) in other {
            #expect(!text.trimmingCharacters(in: .whitespaces).isEmpty, "\(key)")
            guard let original = english[key] else { continue }
            #expect(Self.placeholders(text) == Self.placeholders(original), "\(key)")
        }
    }

    @Test("Every text that a template names is there")
    func templates() {
        let english = Words.catalog("en")
        for template in Console.templates {
            for match in template.text.matches(of: /\{\{t\.([a-z0-9.-]+)\}\}/.ignoresCase()) {
                #expect(english[String(match.output.1)] != nil, "\(template.name): \(match.output.1)")
            }
        }
    }

    @Test("Every text that the code names is there")
    func code() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/GatehouseConsole")
        let files = (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 30)
        let english = Words.catalog("en")
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\bwords\(\s*"([a-z0-9.-]+)"/) {
                #expect(english[String(match.output.1)] != nil, "\(file.lastPathComponent): \(match.output.1)")
            }
        }
    }

    @Test("Every change of the table of actions has the words of its button and of its result")
    func deeds() {
        let english = Words.catalog("en")
        for kind in Console.deeds {
            #expect(english["deed.\(kind.name)"] != nil, "deed.\(kind.name)")
            #expect(english["done.\(kind.name)"] != nil, "done.\(kind.name)")
            #expect(english["nav.\(kind.section)"] != nil, "nav.\(kind.section)")
            if let undo = kind.undo { #expect(Console.deeds.contains { $0.name == undo }, "\(undo)") }
        }
        #expect(Set(Console.deeds.map(\.name)).count == Console.deeds.count)
    }

    @Test("Nothing of a text that is filled in is filled in again")
    func values() {
        let words = Words.of(["en"])
        #expect(words("sign-in.wait", ["length": "{length}"]).contains("{length}"))
        #expect(
            words("deed.last-change", ["action": "{name}", "name": "{time}", "time": "{action}"])
                == "The last change: {name}, by {time}, {action}")
        #expect(words("no.such.key") == "no.such.key")
        #expect(Words.of(["fr", "xx"]).language == "en" && Words.of(["fr", "ja-JP", "ko"]).language == "ja")
    }
}
