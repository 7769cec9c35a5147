import Foundation
import GatehouseProviders
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// Compares the words and addresses in the documents for developers with the code.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=ContractDocumentTests` writes them.
@Suite struct ContractDocumentTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: RuleTests.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The words of `details.reason` with their meanings, in the order of their declaration, from the comments of the source.
    private static func reasons() throws -> [(word: String, meaning: String)] {
        let source = try text("Sources/GatehouseWire/WireError.swift")
        let declaration = #/((?: +\/\/\/ [^\n]*\n)+) +public static let \w+ = ErrorReason\("(\w+)"\)/#
        return source.matches(of: declaration).map { match in
            let comment = match.1.split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces).dropFirst("/// ".count)
            }
            return (String(match.2), comment.joined(separator: " ").replacing(#/ \([A-Z]+-\d+\)/#, with: ""))
        }
    }

    @Test("The words of details.reason are documented, each with its meaning, and there are no others")
    func reasonWords() throws {
        let reasons = try Self.reasons()
        #expect(Set(reasons.map(\.word)).count == reasons.count)
        // No word is declared elsewhere, and each has a comment.
        var declared: [String] = []
        for folder in ["Sources", "Server/Sources"] {
            let files = FileManager.default.enumerator(
                at: RuleTests.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                let source = try String(contentsOf: file, encoding: .utf8)
                declared += source.matches(of: #/ErrorReason\((?:rawValue: )?"(\w+)"\)/#).map { String($0.1) }
            }
        }
        #expect(declared.sorted() == reasons.map(\.word).sorted())
        try GeneratedDocument("docs/game-servers.md").check(
            from: "<!-- the words of details.reason -->", to: "<!-- their end -->",
            ["", "| Word | Meaning |", "|---|---|"] + reasons.map { "| `\($0.word)` | \($0.meaning) |" } + [""])
        let indent = String(repeating: " ", count: 18)
        try GeneratedDocument("docs/openapi.yaml").check(
            from: "# The words of details.reason", to: "# End of the words of details.reason",
            ["\(indent)x-extensible-enum:"] + reasons.map { "\(indent)  - \($0.word)" })
    }

    @Test("The refusals of a token check that docs/game-servers.md lists are words of details.reason")
    func refusals() throws {
        let words = Set(try Self.reasons().map(\.word))
        let rows = try Self.text("docs/game-servers.md").matches(of: #/\n\| \d{3} \| \d+ \|([^|]*)\|/#)
        #expect(rows.count >= 7)
        for row in rows {
            for word in row.1.matches(of: #/`(\w+)`/#) { #expect(words.contains(String(word.1)), "\(word.1)") }
        }
    }

    @Test("The OpenAPI document describes every name of Gatehouse-Client, and its length")
    func client() throws {
        let document = try Self.text("docs/openapi.yaml")
        let begin = try #require(document.range(of: "      name: Gatehouse-Client\n"))
        let end = try #require(document[begin.upperBound...].range(of: "      schema: { type: string }\n"))
        let described = document[begin.upperBound..<end.lowerBound].matches(of: #/- `(\w+)`: /#).map { String($0.1) }
        #expect(described == Mirror(reflecting: ClientInformation()).children.compactMap(\.label))
        #expect(document[begin.upperBound..<end.lowerBound].contains("\(ClientInformation.maximumLength) bytes"))
    }

    /// The addresses at which a provider is called, without their variable parts.
    private static func addresses(of description: ProviderDescription) -> [(purpose: String, urls: [String])] {
        [
            ("keys", [description.openID?.keysURL].compactMap { $0 }),
            ("a browser's code", [description.authorization?.tokenURL].compactMap { $0 }),
            ("an access token", description.checks.map(\.call.url)),
            ("revocation", description.revocation.map(\.url)),
        ]
    }

    @Test("docs/providers.md lists every address that the server calls")
    func addresses() throws {
        var lines = [
            "", "| Provider | Keys | A browser's code | An access token | Revocation |", "|---|---|---|---|---|",
        ]
        for kind in ProviderKind.allCases {
            let addresses = Self.addresses(of: kind.description)
            guard addresses.contains(where: { !$0.urls.isEmpty }) else { continue }
            let cells = addresses.map { purpose in
                var seen: Set<String> = []
                return purpose.urls.filter { seen.insert($0).inserted }.map { "`\($0)`" }.joined(separator: ", ")
            }
            lines.append("| `\(kind.rawValue)` | \(cells.joined(separator: " | ")) |".replacing("|  |", with: "| |"))
        }
        try GeneratedDocument("docs/providers.md").check(
            from: "<!-- the addresses that the server calls -->", to: "<!-- their end -->",
            lines.map { $0.replacing("|  |", with: "| |") } + [""])
    }
}
