import Foundation
import GatehouseImport
import GatehouseWire
import Testing

/// A neutral file is read only as it was written.
@Suite struct NeutralFileTests {
    private static let header = NeutralHeader(
        source: "old", sourceKind: "firebase", takenDate: 1, from: [("project", "my-game")])

    private static func file(_ count: Int) throws -> [UInt8] {
        let bytes = Fixtures.Collected<UInt8>()
        var writer = try NeutralFileWriter(header) { bytes.elements += $0 }
        for number in 0..<count {
            var member = ImportedMember(legacyID: "player-\(number)", status: .active)
            member.identities = [ImportedIdentity(provider: "google.com", subject: "\(number)")]
            member.devices = [ImportedDevice(.deviceID, .plain("device-\(number)"))]
            member.bans = number == 1 ? [ImportedBan(.permanent)] : []
            try writer.write(member)
        }
        let end = try writer.finish()
        #expect(end.members == count && end.identities == count && end.devices == count)
        return bytes.elements
    }

    private static func read(_ bytes: [UInt8], piece: Int = .max) throws -> [NeutralFileReader.Record] {
        var reader = try NeutralFileReader(Fixtures.input(bytes, piece: piece))
        #expect(reader.header == header)
        var records: [NeutralFileReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        #expect(try reader.next() == nil && reader.end?.members == Int64(records.count))
        return records
    }

    private static func failure(_ bytes: [UInt8]) -> NeutralFileFailure.Code? {
        #expect(throws: NeutralFileFailure.self) { try read(bytes) }?.code
    }

    @Test("What was written is read, in pieces of any size", arguments: [1, 7, 100, .max])
    func roundTrip(piece: Int) throws {
        let records = try Self.read(try Self.file(3), piece: piece)
        #expect(try records.map { try $0.member.get().legacyID } == ["player-0", "player-1", "player-2"])
        #expect(records.map(\.line) == [2, 3, 4])
    }

    @Test("A file without records has its header and its end")
    func noRecords() throws { #expect(try Self.read(try Self.file(0)).isEmpty) }

    @Test("A file that was cut anywhere is refused")
    func cut() throws {
        let file = try Self.file(3)
        for count in 0..<(file.count - 1) {
            #expect(throws: NeutralFileFailure.self, "\(count)") { try Self.read(Array(file.prefix(count))) }
        }
        // Only the last line break may be missing.
        #expect(try Self.read(file.dropLast()).count == 3)
        #expect(Self.failure([]) == .empty)
        let lines = file.split(separator: 0x0a, omittingEmptySubsequences: false)
        #expect(Self.failure(Array(lines.dropLast(2).joined(separator: [0x0a])) + [0x0a]) == .noEnd)
    }

    @Test("A file that was changed is refused: a byte, a line, line breaks, counts, or something after its end")
    func changed() throws {
        let text = String(decoding: try Self.file(3), as: UTF8.self)
        func code(_ part: String, _ other: String) -> NeutralFileFailure.Code? {
            #expect(text.contains(part))
            return Self.failure(Array(text.replacingOccurrences(of: part, with: other).utf8))
        }
        #expect(code("player-1", "player-9") == .wrongDigest)
        #expect(code("\n", "\r\n") == .wrongDigest)
        #expect(code(#""members":3"#, #""members":4"#) == .wrongCounts)
        #expect(code(#""identities":3"#, #""identities":4"#) == .wrongCounts)
        #expect(code(#""bans":1,"#, #""bans":2,"#) == .wrongCounts)
        #expect(code(#""end":true"#, #""end":false"#) == .badEnd)
        #expect(code("gatehouse.members/1", "gatehouse.members/2") == .badHeader)
        #expect(code(#""source":"old","#, "") == .badHeader)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(Self.failure(Array((lines + lines).joined(separator: "\n").utf8)) == .afterEnd)
        let doubled = lines[0...1] + lines[1...]
        #expect(Self.failure(Array(doubled.joined(separator: "\n").utf8)) == .wrongCounts)
        let swapped = [lines[0], lines[2], lines[1]] + lines[3...]
        #expect(Self.failure(Array(swapped.joined(separator: "\n").utf8)) == .wrongDigest)
    }

    @Test("The closing line may be written in any order and with spaces")
    func otherEnd() throws {
        let lines = String(decoding: try Self.file(3), as: UTF8.self).split(separator: "\n").map(String.init)
        let digest = Fixtures.digest(lines.dropLast().joined(separator: "\n") + "\n")
        let end = #"{ "members": 3, "identities": 3, "devices": 3, "bans": 1, "sha256": "\#(digest)", "end": true }"#
        #expect(try Self.read(Array((lines.dropLast() + [end]).joined(separator: "\n").utf8)).count == 3)
    }

    @Test("A bad record is refused by its line, and the others are read")
    func badRecord() throws {
        let text = String(decoding: try Self.file(3), as: UTF8.self)
        var lines = text.split(separator: "\n").map(String.init)
        lines[2] = "{\"legacyId\":\"\(String(repeating: "x", count: 1_000_000))\"}"
        lines[3] = "{\"legacyId\":\"a\"}"
        let digest = Fixtures.digest(lines.dropLast().joined(separator: "\n") + "\n")
        lines[4] = #"{"end":true,"members":3,"identities":3,"devices":3,"bans":1,"sha256":"\#(digest)"}"#
        let records = try Self.read(Array(lines.joined(separator: "\n").utf8))
        #expect(try records[0].member.get().legacyID == "player-0")
        guard case .failure(let long) = records[1].member, case .failure(let short) = records[2].member else {
            Issue.record("a bad record was taken")
            return
        }
        #expect(long.code == .tooLong && records[1].line == 3)
        #expect(short.code == .missing && records[2].line == 4)
    }
}
