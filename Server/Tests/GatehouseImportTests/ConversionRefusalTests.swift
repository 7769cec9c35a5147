import GatehouseImport
import Testing

/// Files and options that are refused as a whole, each by its name, before anything is written.
@Suite struct ConversionRefusalTests {
    private func code(
        _ kind: ImportKind, _ inputs: [ImportInput], _ set: (inout ConversionOptions) -> Void = { _ in }
    ) -> ConversionFailure.Code? {
        #expect(throws: ConversionFailure.self) { try Fixtures.convert(kind, inputs, set) }?.code
    }

    @Test("A file of another system, or of none, is refused", arguments: ImportKind.allCases)
    func unknownForm(kind: ImportKind) throws {
        for other in GoldenFileTests.cases where other.kind != kind {
            #expect(code(kind, [Fixtures.input(other.files[0])]) == .unknownForm, "\(other.files[0])")
        }
        for text in [
            "", "\n\n", "hello", "{}", "[]", "{\"users\":{}}", "a,b\n1,2\n", "{\"users\":[{\"id\":1}]}", "\u{0}",
            #"{"error":{"code":403}}"#, #"{"kind":"identitytoolkit#DownloadAccountResponse","error":{"code":403}}"#,
            #"{"kind":"identitytoolkit#GetAccountInfoResponse"}"#, #"{"nextPageToken":"n"}"#,
            #"{"kind":"identitytoolkit#DownloadAccountResponse""#,
        ] {
            #expect(code(kind, [Fixtures.input(text: text)]) == .unknownForm, "\(text)")
        }
    }

    @Test("UTF-16 is refused by name")
    func utf16() {
        #expect(code(.firebase, [Fixtures.input([0xff, 0xfe, 0x7b, 0x00])]) == .notUTF8)
        #expect(code(.firebase, [Fixtures.input([0xfe, 0xff, 0x00, 0x7b])]) == .notUTF8)
    }

    @Test("A table of Firebase's command before 15.19.0 is refused unless the operator accepts it")
    func oldTable() throws {
        #expect(code(.firebase, [Fixtures.input("firebase-cli-old.csv")]) == .oldTable)
        let converted = try Fixtures.convert(.firebase, [Fixtures.input("firebase-cli-old.csv")]) {
            $0.acceptsOldTables = true
        }
        #expect(converted.report.files[0].notes.contains(.oldTable))
    }

    @Test("Fewer parts than the index names are refused")
    func missingParts() {
        #expect(
            code(.playfab, [Fixtures.input("playfab-index.txt"), Fixtures.input("playfab-1.tsv")]) == .missingParts)
    }

    @Test("Details without players are refused")
    func noPlayers() {
        #expect(code(.playfab, [Fixtures.input("playfab-details.jsonl")]) == .noPlayers)
        #expect(code(.gamebase, [Fixtures.input("gamebase-answers.jsonl")]) == .noPlayers)
        #expect(code(.firebase, []) == .noPlayers)
    }

    @Test("Details come from a file and players also from a pipe")
    func pipe() throws {
        let details = Fixtures.input(try Fixtures.bytes("playfab-details.jsonl"), isPipe: true)
        #expect(code(.playfab, [Fixtures.input("playfab-1.tsv"), details]) == .needsFile)
        let players = Fixtures.input(try Fixtures.bytes("nakama.jsonl"), isPipe: true)
        #expect(try Fixtures.convert(.nakama, [players]).report.imported == 7)
    }

    @Test(
        "Columns of Gamebase that are unknown, missing or half are refused",
        arguments: [
            ["registrationDate": "2"], ["userId": "1", "name": "2"], ["userId": "1", "idPCode": "2"],
        ])
    func columns(columns: [String: String]) {
        #expect(code(.gamebase, [Fixtures.input("gamebase.csv")]) { $0.columns = columns } == .badOption)
    }

    @Test("A table of Gamebase without the column that was named is refused")
    func unknownColumn() {
        for column in ["USER", "7", "0", "-1", "\(Int.min)", "\(Int.max)", "99999999999999999999"] {
            let found = code(.gamebase, [Fixtures.input("gamebase.csv")]) { $0.columns = ["userId": column] }
            #expect(found == .unknownForm, "\(column)")
        }
    }
}
