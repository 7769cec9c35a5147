import Foundation
import GatehouseImport
import GatehouseJSON
import Testing

/// Files that are cut, doubled, changed or nonsense: every record is imported, skipped or rejected, and nothing crashes.
@Suite struct ConversionFaultTests {
    /// A generator that gives the same numbers for the same seed (SplitMix64).
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var number = state
            number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
            number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
            return number ^ (number >> 31)
        }
    }

    private static func sum(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }

    /// Checks what is true of every conversion that was not refused as a whole.
    private static func check(_ converted: Fixtures.Converted, _ comment: Comment) throws {
        let report = converted.report
        #expect(report.read == report.imported + sum(report.skipped) + sum(report.rejected), comment)
        let told = converted.incidents.count { $0.outcome != .reduced }
        #expect(told == sum(report.skipped) + sum(report.rejected) + sum(report.rejectedDetails), comment)
        #expect(try converted.members().count == report.imported, comment)
        #expect(report.end.members == report.imported, comment)
    }

    private static func change(_ bytes: [UInt8], _ random: inout Seeded) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        switch Int.random(in: 0..<10, using: &random) {
        case 0: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        case 1: bytes += bytes
        case 2: bytes = [0xef, 0xbb, 0xbf] + bytes
        case 3: bytes = bytes.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
        case 4: bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        case 5:
            let symbols = Array("\"{}[],\\\n\t\r:\u{0}".utf8)
            bytes.insert(
                symbols.randomElement(using: &random) ?? 0, at: Int.random(in: 0...bytes.count, using: &random))
        case 6:
            let start = Int.random(in: 0..<bytes.count, using: &random)
            bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...200, using: &random)))
        case 7:
            let place = Int.random(in: 0...bytes.count, using: &random)
            bytes.insert(contentsOf: Array(repeating: UInt8(ascii: "x"), count: 300_000), at: place)
        case 8: bytes.insert(contentsOf: [0xff, 0xc3], at: Int.random(in: 0...bytes.count, using: &random))
        default:
            let (one, other) = (
                Int.random(in: 0..<bytes.count, using: &random), Int.random(in: 0..<bytes.count, using: &random)
            )
            bytes.insert(contentsOf: bytes[min(one, other)..<max(one, other)], at: one)
        }
        return bytes
    }

    @Test("A changed file loses nothing in silence", arguments: GoldenFileTests.cases)
    func changed(example: GoldenFileTests.Case) throws {
        let files = try example.files.map { ($0, try Fixtures.bytes($0)) }
        for seed in UInt64(0)..<12 {
            var random = Seeded(state: seed)
            let changes = Int.random(in: 1...3, using: &random)
            let changed = Int.random(in: 0..<files.count, using: &random)
            let inputs = files.enumerated().map { index, file in
                var bytes = file.1
                if index == changed { for _ in 0..<changes { bytes = Self.change(bytes, &random) } }
                let piece = [1, 100, .max][Int(seed % 3)]
                return Fixtures.input(bytes, file.0, piece: bytes.count < 10_000 ? piece : .max)
            }
            do {
                let converted = try Fixtures.convert(example.kind, inputs) {
                    $0.acceptsOldTables = example.acceptsOldTables
                }
                try Self.check(converted, "seed \(seed)")
            } catch is ConversionFailure {
                // The file is refused as a whole, and nothing was written.
            }
        }
    }

    @Test(
        "The same players come of a file with a mark at its beginning or with other line breaks",
        arguments: GoldenFileTests.cases)
    func sameRecords(example: GoldenFileTests.Case) throws {
        let golden = try GoldenFileTests.convert(example)
        for change: ([UInt8]) -> [UInt8] in [
            { [0xef, 0xbb, 0xbf] + ($0.starts(with: [0xef, 0xbb, 0xbf]) ? $0.dropFirst(3) : $0[...]) },
            { $0.flatMap { $0 == 0x0d ? [] : $0 == 0x0a ? [0x0d, 0x0a] : [$0] } }, { $0.filter { $0 != 0x0d } },
        ] {
            let inputs = try example.files.map { Fixtures.input(change(try Fixtures.bytes($0)), $0, piece: 1) }
            let converted = try Fixtures.convert(example.kind, inputs) {
                $0.acceptsOldTables = example.acceptsOldTables
                $0.takenDate = example.takenDate
            }
            #expect(converted.text == golden.text)
        }
    }

    @Test(
        "The same files twice give the same members, and the second ones are skipped as doubled",
        arguments: GoldenFileTests.cases)
    func doubled(example: GoldenFileTests.Case) throws {
        let golden = try GoldenFileTests.convert(example)
        let files = example.files.filter { !["playfab-index.txt"].contains($0) }
        let converted = try Fixtures.convert(example.kind, (files + files).map { Fixtures.input($0) }) {
            $0.acceptsOldTables = example.acceptsOldTables
            $0.takenDate = example.takenDate
        }
        #expect(converted.report.skipped["doubled"] == golden.report.imported)
        #expect(converted.report.end.members == golden.report.end.members)
        #expect(converted.report.end.bans == golden.report.end.bans)
    }

    @Test("A cut list names its cut record, and that what followed is not here")
    func cutList() throws {
        let bytes = try Fixtures.bytes("firebase-cli.json")
        let place = try #require(String(decoding: bytes, as: UTF8.self).range(of: "my-own-uid"))
        let text = String(decoding: bytes, as: UTF8.self)[..<place.lowerBound]
        let converted = try Fixtures.convert(.firebase, [Fixtures.input(text: String(text))])
        try Self.check(converted, "cut")
        #expect(converted.report.imported == 5)
        #expect(converted.report.rejected == ["cut": 2])
        #expect(!converted.report.isComplete)
    }

    @Test("A record of a megabyte is refused by its line, and those around it are read")
    func longRecord() throws {
        let long = String(repeating: "x", count: 1_000_000)
        func user(_ id: String, _ name: String) -> String { #"{"localId":"\#(id)","displayName":"\#(name)"}"# }
        let list = "{\"users\":[\n\(user("a", "")),\n\(user("b", long)),\n\(user("c", ""))\n]}"
        let converted = try Fixtures.convert(.firebase, [Fixtures.input(text: list)])
        try Self.check(converted, "list")
        #expect(try converted.members().map(\.legacyID) == ["a", "c"])
        #expect(converted.incidents.map(\.code) == ["tooLong"] && converted.incidents.map(\.line) == [3])
        func line(_ id: String, _ name: String) -> String {
            #"{"id":"\#(id)","createMs":1,"hasPassword":false,"username":"\#(name)"}"#
        }
        let lines = [line("a", ""), line("b", long), line("c", "")].joined(separator: "\n")
        let nakama = try Fixtures.convert(.nakama, [Fixtures.input(text: lines)])
        try Self.check(nakama, "lines")
        #expect(try nakama.members().map(\.legacyID) == ["a", "c"])
        #expect(nakama.incidents.map(\.code) == ["tooLong"] && nakama.incidents.map(\.line) == [2])
    }

    @Test("A quotation mark that is never closed costs its own row alone")
    func quotation() throws {
        var lines = String(decoding: try Fixtures.bytes("firebase-cli.csv"), as: UTF8.self).split(separator: "\n").map(
            String.init)
        lines[2] = lines[2].replacingOccurrences(of: "{\"\"vip", with: "{\"vip")
        lines[4] = lines[4].replacingOccurrences(of: "+8210", with: "\"+8210")
        let converted = try Fixtures.convert(.firebase, [Fixtures.input(text: lines.joined(separator: "\n") + "\n")])
        try Self.check(converted, "table")
        #expect(converted.report.read == 7 && converted.report.imported == 5)
        #expect(converted.report.rejected == ["badQuoting": 2])
        #expect(converted.incidents.map(\.line) == [3, 5])
    }
}
