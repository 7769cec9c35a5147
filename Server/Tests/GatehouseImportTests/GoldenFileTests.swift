import Foundation
import GatehouseImport
import Testing

/// Each system's files become the neutral file in `Fixtures/golden`.
@Suite struct GoldenFileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: ImportKind
        let files: [String]
        let form: String
        var acceptsOldTables = false
        var takenDate: Int64?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "firebase-cli-json", kind: .firebase, files: ["firebase-cli.json"], form: "Firebase CLI, JSON"),
        Case(
            name: "firebase-cli-csv", kind: .firebase, files: ["firebase-cli.csv"],
            form: "Firebase CLI, table of 53 columns"),
        Case(
            name: "firebase-cli-old-json", kind: .firebase, files: ["firebase-cli-old.json"], form: "Firebase CLI, JSON"
        ),
        Case(
            name: "firebase-cli-old-csv", kind: .firebase, files: ["firebase-cli-old.csv"],
            form: "Firebase CLI before 15.19.0, table of 29 columns", acceptsOldTables: true),
        Case(
            name: "firebase-pages", kind: .firebase, files: ["firebase-page-1.json", "firebase-page-2.json"],
            form: "Firebase API pages or emulator, JSON"),
        Case(
            name: "firebase-emulator", kind: .firebase, files: ["firebase-emulator.json"],
            form: "Firebase API pages or emulator, JSON"),
        Case(
            name: "playfab", kind: .playfab,
            files: ["playfab-1.tsv", "playfab-2.tsv", "playfab-index.txt", "playfab-details.jsonl"],
            form: "PlayFab, part of a segment's export", takenDate: 1_780_000_000_000),
        Case(name: "nakama", kind: .nakama, files: ["nakama.jsonl"], form: "Nakama, JSON lines of its tables"),
        Case(name: "supabase", kind: .supabase, files: ["supabase.jsonl"], form: "Supabase, JSON lines of its tables"),
        Case(
            name: "gamebase", kind: .gamebase, files: ["gamebase.csv", "gamebase-answers.jsonl"],
            form: "Gamebase, table of its console"),
        Case(
            name: "unity", kind: .unity, files: ["unity-1.json", "unity-2.json"], form: "Unity, pages of its Admin API"),
    ]

    static func convert(_ example: Case) throws -> Fixtures.Converted {
        try Fixtures.convert(example.kind, example.files.map { Fixtures.input($0) }) {
            $0.acceptsOldTables = example.acceptsOldTables
            $0.takenDate = example.takenDate
        }
    }

    @Test("The files of each system become their neutral file, byte by byte, and the form is named", arguments: cases)
    func golden(example: Case) throws {
        let converted = try Self.convert(example)
        let url = Fixtures.folder.appendingPathComponent("golden/\(example.name).jsonl")
        if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] != nil {
            try Data(converted.bytes).write(to: url)
        }
        #expect(converted.text == String(decoding: try Data(contentsOf: url), as: UTF8.self))
        #expect(converted.report.files.contains { $0.form == example.form })
        let members = try converted.members()
        #expect(members.count == converted.report.imported)
        #expect(
            converted.report.read
                == members.count + converted.report.skipped.values.reduce(0, +)
                + converted.report.rejected.values.reduce(0, +))
        #expect(converted.report.rejected.isEmpty && converted.report.rejectedDetails.isEmpty)
    }

    @Test(
        "No e-mail address, phone number, name, picture, hash or wallet is written; each is counted", arguments: cases)
    func nothingPersonal(example: Case) throws {
        let converted = try Self.convert(example)
        for value in [
            "@example", "+8210", "Mina", "mina", "https://x", "ab+/cd", "ab-_cd", "1st", "AbCdEfGhIj", "\"GO\"",
        ] {
            #expect(!converted.text.contains(value), "\(value)")
        }
        let personal = [
            "firebase-cli-json": ["email", "phone", "name", "password", "picture"], "nakama": ["email", "name"],
        ]
        for value in personal[example.name] ?? [] {
            #expect(converted.report.dropped[value, default: 0] > 0, "\(value)")
        }
    }
}
