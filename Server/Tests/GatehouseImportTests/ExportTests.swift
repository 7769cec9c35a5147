import Foundation
import GatehouseImport
import GatehouseWire
import Testing

/// What an export makes of members for each format, by the golden files in `Fixtures/exported`.
@Suite struct ExportTests {
    @Test("The same members become the same files, byte by byte", arguments: ExportFormat.allCases)
    func golden(format: ExportFormat) throws {
        let (output, totals) = try Exported.export(Exported.members, as: format)
        let folder = Fixtures.folder.appendingPathComponent("exported/\(format.rawValue)")
        let files = output.files + [("MISSING.txt", Array(totals.missing(never: format.never).utf8), 0)]
        for file in files {
            let url = folder.appendingPathComponent(file.name)
            if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] != nil {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data(file.bytes).write(to: url)
            }
            #expect(
                String(decoding: file.bytes, as: UTF8.self)
                    == String(decoding: try Data(contentsOf: url), as: UTF8.self),
                "\(file.name)")
        }
        #expect(totals.members == 4)
        #expect(totals.losses[.identities] == 3)
    }

    @Test("JSON files are JSON of the target's limits", arguments: [ExportFormat.firebase, .auth0, .kratos])
    func limits(format: ExportFormat) throws {
        let members = (0..<2_500).map { number in
            var member = ImportedMember(legacyID: "player-\(number)", status: .active)
            member.identities = [
                ImportedIdentity(provider: "google.com", subject: String(repeating: "\"", count: 150)),
                ImportedIdentity(provider: "facebook.com", subject: String(repeating: "é", count: 150)),
            ]
            return member
        }
        let (output, totals) = try Exported.export(members, as: format)
        var count = 0
        for file in output.files where file.name != "player.schema.json" {
            let value = try JSONSerialization.jsonObject(with: Data(file.bytes))
            let list = (value as? [Any]) ?? (value as? [String: Any])?["identities"] as? [Any] ?? []
            #expect(list.count == file.records && !list.isEmpty)
            #expect(format == .auth0 ? file.bytes.count <= 500_000 : list.count <= 1_000, "\(file.name)")
            count += list.count
        }
        #expect(count == 2_500 && totals.members == 2_500)
        #expect(output.files.count > 2)
    }

    @Test("A member that is larger than a file of Auth0 may be is counted, and the others come along")
    func tooLarge() throws {
        var large = ImportedMember(legacyID: "large", status: .active)
        large.identities = (0..<32).map { number in
            ImportedIdentity(
                provider: String(repeating: "👩‍🚀", count: 80) + "\(number)", subject: String(repeating: "\"", count: 256))
        }
        let (output, totals) = try Exported.export([large, ImportedMember(legacyID: "small")], as: .auth0)
        #expect(totals.losses[.tooLarge] == nil && totals.members == 2)
        #expect(output.files.count == 1)
        // The same member is too long for a line of a neutral file.
        large.identities = (0..<32).map { number in
            ImportedIdentity(
                provider: String(repeating: "👩‍🚀", count: 64) + "\(number)",
                subject: String(repeating: "👩‍🚀", count: 64), issuer: String(repeating: "👩‍🚀", count: 64),
                namespace: String(repeating: "👩‍🚀", count: 64))
        }
        let (neutral, lost) = try Exported.export([large, ImportedMember(legacyID: "small")], as: .gatehouse)
        #expect(lost.losses[.tooLarge] == 1 && lost.members == 1)
        #expect(neutral.files.map(\.records) == [1])
    }

    @Test("Neutral files are whole by themselves, and have the members in their order")
    func parts() throws {
        let members = (0..<7).map { ImportedMember(legacyID: "player-\($0)") }
        let (output, totals) = try Exported.export(members, as: .gatehouse, membersPerFile: 3)
        #expect(output.files.map(\.name) == ["members-001.jsonl", "members-002.jsonl", "members-003.jsonl"])
        #expect(output.files.map(\.records) == [3, 3, 1])
        var ids: [String] = []
        for file in output.files {
            var reader = try NeutralFileReader(Fixtures.input(file.bytes))
            #expect(reader.header.source == "game" && reader.header.sourceKind == "openid")
            while let record = try reader.next() { ids.append(try record.member.get().legacyID) }
        }
        #expect(ids == members.map(\.legacyID) && totals.members == 7)
        let (empty, _) = try Exported.export([], as: .gatehouse)
        #expect(empty.files.map(\.records) == [0])
        #expect(try Exported.export([], as: .firebase).output.files.isEmpty)
    }

    @Test("Every literal of the SQL is closed, and no line is a command of its own")
    func quoting() throws {
        let text = try Exported.export(Exported.members, as: .supabase).output.text("members-001.sql")
        var (isInside, statements) = (false, [""])
        for byte in text.utf8 {
            if byte == 0x27 { isInside.toggle() }
            // What is inside of literals does not count.
            if byte == 0x3b, !isInside { statements.append("") }
            if !isInside { statements[statements.count - 1].unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        #expect(!isInside && !text.utf8.contains(0))
        let words = statements.map { $0.split { " ;\n'".contains($0) }.prefix(2).joined(separator: " ") }
        // Four users, and four identities of theirs.
        let rows = Array(repeating: "INSERT INTO", count: 8)
        let expected = ["BEGIN", "SET LOCAL", "SET LOCAL"] + rows + ["COMMIT"]
        #expect(words.filter { !$0.isEmpty } == expected)
        #expect(text.contains("O''Hara"))
    }

    @Test("UUIDs are those that other programs make of the same name")
    func uuids() throws {
        let text = try Exported.export(Exported.members, as: .nakama).output.text("accounts-001.jsonl")
        // Python: uuid.uuid5(uuid.NAMESPACE_URL, "urn:gatehouse:player:AAAABBBBCCCCDDD1")
        #expect(text.contains(#""id":"bb61d90d-659d-5d04-97e5-713f45658121""#))
    }
}
