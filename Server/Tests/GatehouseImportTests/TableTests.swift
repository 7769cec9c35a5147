import Foundation
import GatehouseImport
import Testing

/// The rows of a system's own tables are read like the lines of a file. That PostgreSQL makes these lines of the tables is tested with the
/// command.
@Suite struct TableTests {
    private static let document = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/import.md")

    private func rows(_ bytes: [UInt8]) -> ImportInput {
        let file = Fixtures.input(bytes, isPipe: true)
        return ImportInput(name: "postgres://db.example/old", isTables: true, open: file.open)
    }

    @Test("The SELECT is the one that docs/import.md has for files", arguments: [ImportKind.nakama, .supabase])
    func documented(kind: ImportKind) throws {
        let text = String(decoding: try Data(contentsOf: Self.document), as: UTF8.self)
        let select = try #require(kind.select)
        #expect(text.contains("```sql\n\(select);\n```\n"))
    }

    @Test("The other systems have no tables to read")
    func otherKinds() {
        for kind in ImportKind.allCases where kind != .nakama && kind != .supabase { #expect(kind.select == nil) }
    }

    @Test("Rows become what the same lines of a file become", arguments: [ImportKind.nakama, .supabase])
    func sameAsFile(kind: ImportKind) throws {
        let bytes = try Fixtures.bytes("\(kind.rawValue).jsonl") + Array("{\"id\":1}\nno JSON\n".utf8)
        let file = try Fixtures.convert(kind, [Fixtures.input(bytes)])
        let tables = try Fixtures.convert(kind, [rows(bytes)])
        #expect(tables.text == file.text && !tables.report.rejected.isEmpty)
        #expect(tables.report.read == file.report.read && tables.report.rejected == file.report.rejected)
        #expect(tables.incidents.map(\.line) == file.incidents.map(\.line))
        #expect(tables.report.files.map(\.form) == ["\(kind.rawValue.capitalized), its tables"])
    }

    @Test("Tables without a row, or whose first rows can't be read, are no file of another form")
    func knownForm() throws {
        #expect(try Fixtures.convert(.supabase, [rows([])]).report.read == 0)
        let odd = try Fixtures.convert(.nakama, [rows(Array("[]\n".utf8))])
        #expect(odd.report.rejected == ["badType": 1])
    }

    @Test("Rows that fail in the middle end the conversion by their own error, without a closing line")
    func cut() throws {
        struct Lost: Error {}
        var hasBegun = false
        let input = ImportInput(name: "postgres://db.example/old", isTables: true) {
            ImportInput.Stream { _ in
                if hasBegun { throw Lost() }
                hasBegun = true
                return Array("{\"id\":\"1\",\"anonymous\":true,\"createdMs\":1}\n".utf8)
            }
        }
        let written = Fixtures.Collected<UInt8>()
        #expect(throws: Lost.self) {
            var conversion = try Conversion(.supabase, options: ConversionOptions()) { _ in }
            _ = try conversion.run([input], header: NeutralHeader(source: "old", sourceKind: "supabase")) {
                written.elements += $0
            }
        }
        #expect(!String(decoding: written.elements, as: UTF8.self).contains("\"end\""))
    }
}
