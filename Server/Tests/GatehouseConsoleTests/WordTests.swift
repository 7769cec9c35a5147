import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseConsole

@Suite struct WordTests {
    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{([a-z]+)\}/.ignoresCase()).map { String($0.output.1) })
    }

    @Test(
        "The console speaks the first language that it has, by whatever name a browser has for it",
        arguments: [
            (["ko_KR"], "ko"), (["ja-Jpan-JP"], "ja"), (["fr", "ko-KR", "en"], "ko"), (["kok", "jav"], "en"),
            (["en-GB"], "en"), ([], "en"), (["*"], "en"),
        ])
    func preferred(languages: [String], language: String) {
        #expect(Words.of(languages).language == language)
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
            for match in text.matches(of: /\b(?:words|card|empty)\(\s*"([a-z0-9.-]+)"/) {
                #expect(english[String(match.output.1)] != nil, "\(file.lastPathComponent): \(match.output.1)")
            }
        }
    }

    @Test("What operators' actions say in the core is a text of the catalog")
    func actions() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/GatehouseCore")
        let files = (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        let command = OperatorActions.namesOfCommand
        // Names in the audit, of actions and of values, a field, and what a test has found.
        let names = Set(OperatorActions.named.keys + command.app + command.server).union([
            "maintenance.message.", "maintenance.reason", "maintenance.url", "message.en", "settings.wrong",
        ])
        let english = Words.catalog("en")
        var count = 0
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("OperatorAction {") || text.contains("Phrase") else { continue }
            for match in text.matches(of: /"([a-z-]+\.[a-z0-9.-]+)"/) where !names.contains(String(match.output.1)) {
                count += 1
                #expect(english[String(match.output.1)] != nil, "\(file.lastPathComponent): \(match.output.1)")
            }
        }
        #expect(count > 30)
    }

    @Test("Every change of the table of actions has the words of its button and of its result")
    func actionWords() {
        let english = Words.catalog("en")
        let abouts = OperatorActions.named.values.map { $0.about }
        for about in abouts {
            #expect(english["deed.\(about.name)"] != nil, "deed.\(about.name)")
            #expect(english["done.\(about.name)"] != nil, "done.\(about.name)")
            #expect(english["nav.\(about.section)"] != nil, "nav.\(about.section)")
            if let undo = about.undo { #expect(abouts.contains { $0.name == undo.about.name }, "\(undo)") }
        }
        let actions = OperatorActions.all + OperatorActions.ofServer + OperatorActions.ofProviders
        #expect(abouts.count == actions.count, "two actions have one name")
    }

    /// The values that are numbers.
    private static let numbers: Set = [
        "count", "total", "first", "second", "third", "forced", "changed", "waiting", "reads", "writes", "attempts",
        "today", "tries", "looked", "days", "seconds",
    ]

    @Test("A number in an English text has a form for one: of its own, or of the whole text if it is the only number")
    func plurals() {
        let english = Words.catalog("en")
        for (key, text) in english where !key.hasSuffix(".one") {
            let named = text.matches(of: /\{([a-z]+)\} (?:[a-z]+ )?([a-z]+)/).filter { match in
                Self.numbers.contains(String(match.output.1))
                    && (match.output.2.hasSuffix("s") || ["were", "are", "have", "wait"].contains(match.output.2))
            }
            let hasWhole = english["\(key).one"] != nil && named.count == 1 && named.first?.output.1 == "count"
            for match in named where !hasWhole {
                // Units and words that the number does not change.
                guard !["ms", "was", "as", "is", "less", "this"].contains(match.output.2) else { continue }
                #expect(text.contains("{\(match.output.1)|"), "\(key): \(text)")
            }
        }
    }

    @Test("A form for one, or for none, is chosen for each number of a text")
    func forms() {
        let words = Words.of(["en"])
        let values = ["range": "7 days", "first": "1", "second": "2", "third": "0"]
        #expect(words("chart.bans.says", values) == "In 7 days 1 ban began, 2 were released and 0 expired.")
        let others = ["range": "7 days", "first": "2", "second": "1", "third": "0"]
        #expect(
            ["0", "1", "2"].map { words("launching.devices-pass", ["count": $0]) } == [
                "No test device can play meanwhile.", "1 test device can play all the time.",
                "2 test devices can play all the time.",
            ])
        #expect(words("chart.bans.says", others) == "In 7 days 2 bans began, 1 was released and 0 expired.")
    }

    @Test("Each reason of a refusal and each call of a player has words in every language", arguments: Words.languages)
    func tokens(language: String) throws {
        let catalog = Words.catalog(language)
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/GatehouseWire/WireError.swift").standardizedFileURL
        let source = try String(contentsOf: file, encoding: .utf8)
        let reasons = source.matches(of: #/static let \w+ = ErrorReason\("(\w+)"\)/#).map { String($0.output.1) }
        #expect(reasons.count > 20)
        for reason in reasons { #expect(catalog["refusal.reason.\(reason)"] != nil, "\(reason)") }
        let open = ["launching", "jwks.json"]
        for endpoint in Endpoints.all {
            let call = endpoint.template.split(separator: "/").dropFirst(3).joined(separator: ".")
            guard !open.contains(call) else { continue }
            #expect(catalog["call.\(call)"] != nil, "\(call)")
        }
        for scope in ["check", "moderate", "erase", "profile", "migrate"] { #expect(catalog["scope.\(scope)"] != nil) }
        for kind in ["consent-revoked", "account-deleted"] { #expect(catalog["signal.kind.\(kind)"] != nil) }
    }

    @Test("Each code of an import's report has its meaning in every language", arguments: Words.languages)
    func importCodes(language: String) throws {
        let catalog = Words.catalog(language)
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/GatehouseImport/Record/RecordObject.swift").standardizedFileURL
        let source = try String(contentsOf: file, encoding: .utf8)
        let problems = source.matches(of: /case (\w+)\n/).map { String($0.output.1) }
        #expect(problems.count > 12)
        for code in ImportCode.allCases.map(\.rawValue) + problems {
            #expect(catalog["imports.code.\(code)"] != nil, "\(code)")
        }
    }

    @Test("Nothing of a text that is filled in is filled in again")
    func values() {
        let words = Words.of(["en"])
        #expect(words("sign-in.wait", ["length": "{length}"]).contains("{length}"))
        #expect(
            words("deed.last-change", ["action": "{name}", "name": "{time}", "time": "{action}"])
                == "Last change: {name}, by {time}, {action}")
        #expect(words("no.such.key") == "no.such.key")
        #expect(Words.of(["fr", "xx"]).language == "en" && Words.of(["fr", "ja-JP", "ko"]).language == "ja")
    }

    @Test("What the rules refuse is said at the field in the reader's language", arguments: Words.languages)
    func refusedField(language: String) {
        let words = Words.of([language])
        let isEnglish = language == "en"
        let issuer = words.problem(Refusal.parameter("issuer", "No https."), at: "issuer")
        #expect(issuer == (isEnglish ? "No https." : words("problem.at.issuer")))
        // Without a sentence of its own the code says what it means.
        let other = words.problem(Refusal.parameter("other", "No."), at: "other")
        #expect(other == (isEnglish ? "No." : words("code.3")))
        #expect(words.problem(Refusal.parameter("other", "안 됨"), at: "other") == "안 됨")
    }
}
