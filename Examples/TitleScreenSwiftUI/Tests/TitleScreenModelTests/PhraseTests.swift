import Foundation
import Testing

@testable import TitleScreenModel

/// The texts that a player reads.
@Suite struct PhraseTests {
    private struct Catalog: Decodable {
        struct Entry: Decodable {
            let localizations: [String: Localization]
        }
        struct Localization: Decodable {
            let stringUnit: Unit
        }
        struct Unit: Decodable {
            let value: String
        }
        let strings: [String: Entry]
    }

    private func catalog() throws -> Catalog {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Sources/TitleScreenViews/Resources/Localizable.xcstrings")
        return try JSONDecoder().decode(Catalog.self, from: Data(contentsOf: file))
    }

    @Test("Every phrase is there in three languages, with the same blanks, and no other is")
    func languages() throws {
        let strings = try catalog().strings
        #expect(Set(strings.keys) == Set(Phrase.allCases.map(\.rawValue)))
        for (key, entry) in strings {
            #expect(Set(entry.localizations.keys) == ["en", "ja", "ko"], "\(key)")
            let texts = entry.localizations.values.map(\.stringUnit.value)
            #expect(texts.allSatisfy { !$0.isEmpty }, "\(key)")
            #expect(Set(texts.map(Self.blanks)).count == 1, "\(key)")
        }
    }

    @Test("The phrases that the views fill in have as many blanks as they are given")
    func blanks() throws {
        let strings = try catalog().strings
        let filled: [Phrase: Int] = [
            .signInWith: 1, .deletedAt: 1, .conflictText: 2, .until: 1, .errorCode: 1, .contact: 1,
        ]
        for phrase in Phrase.allCases {
            let text = strings[phrase.rawValue]?.localizations["en"]?.stringUnit.value ?? ""
            #expect(Self.blanks(text) == filled[phrase] ?? 0, "\(phrase)")
        }
    }

    @Test("A phrase is filled in by its order or by its numbers")
    func fill() {
        #expect(Phrase.fill("Until %@", ["noon"]) == "Until noon")
        #expect(Phrase.fill("%2$@ of %1$@, %@", ["a", "b"]) == "b of a, %@")
        #expect(Phrase.fill("%@ and %@", ["a", "b"]) == "a and b")
        #expect(Phrase.fill("Nothing", ["a"]) == "Nothing")
    }

    private static func blanks(_ text: String) -> Int { text.matches(of: #/%(\d\$)?@/#).count }
}
