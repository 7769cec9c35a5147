import Foundation
import Testing

/// `docs/contributing/rules.md` and `docs/threat-model.md` list every rule of the product, and tests cite them in their names. Which test
/// cites which rule is in no document, because two changes that are each right would merge to a wrong one; `scripts/test --rules` prints it.
@Suite struct RuleTests {
    /// The number of rules of each kind.
    static let rules = [
        ("START", 4), ("LOGIN", 13), ("LOGOUT", 2), ("MAP", 10), ("TRANSFER", 8), ("WITHDRAW", 5), ("BAN", 6),
        ("INFO", 4),
        ("ERROR", 3), ("IDP", 13), ("NET", 1), ("LNK", 6), ("TRF", 6), ("WDR", 3), ("SES", 11),
    ]
    static let ids = rules.flatMap { kind, count in (1...count).map { "\(kind)-\($0)" } }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every rule has a test that cites it, and its row in docs/contributing/rules.md")
    func table() throws {
        let tests = try Self.tests()
        for id in Self.ids {
            #expect(tests[id]?.isEmpty == false, "no test cites \(id)")
        }
        #expect(try Self.rows(of: "docs/contributing/rules.md").map(\.id) == Self.ids)
    }

    @Test("Every requirement of the threat model has its tests, or says what it has instead")
    func requirements() throws {
        let tests = try Self.tests()
        let rows = try Self.rows(of: "docs/threat-model.md")
        for row in rows {
            let isCited = tests[row.id]?.isEmpty == false
            #expect(isCited != row.text.contains("(no test: "), "tests cite \(row.id): \(isCited)")
        }
        #expect(rows.count == Set(rows.map(\.id)).count)
        #expect(rows.count > 60)
    }

    /// The rows of a document's tables that begin with the id of a rule.
    private static func rows(of path: String) throws -> [(id: String, text: String)] {
        let document = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return document.split(separator: "\n").compactMap { line in
            guard let row = line.wholeMatch(of: #/\| ([A-Z]{3,8}-\d+) \| (.*) \|/#) else { return nil }
            return (String(row.output.1), String(row.output.2))
        }
    }

    /// The tests by the ids that their titles cite, as `Suite.function`. A range cites nothing, because a test that proves the rules in
    /// between can name them.
    private static func tests() throws -> [String: Set<String>] {
        var tests: [String: Set<String>] = [:]
        for test in try TestTitle.all(in: root) {
            // A rule of the console's looks, such as UI-IDP-5, is another one.
            for citation in test.title.matches(of: #/(UI-)?\b([A-Z]{3,8}-\d+)/#) where citation.output.1 == nil {
                tests[String(citation.output.2), default: []].insert(test.name)
            }
            #expect(!test.title.contains(#/[A-Z]-\d+ to /#), "\(test.name) cites a range")
        }
        return tests
    }
}
