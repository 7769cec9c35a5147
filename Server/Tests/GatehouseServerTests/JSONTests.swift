import Foundation
import GatehouseJSON
import GatehouseWire
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct JSONTests {
    /// A type with every kind of value that a type of the contract can have.
    struct Everything: Codable, Hashable {
        struct Part: Codable, Hashable {
            var name: String
            var parts: [Part]?
        }
        enum Kind: String, Codable { case one, two }

        var text: String
        var flag: Bool
        var small: Int32
        var large: Int64
        var unsigned: UInt64
        var number: Double
        var kind: Kind
        var absent: String?
        var list: [Int]
        var lists: [[String]]
        var map: [String: Part]
        var part: Part
        var any: JSONValue
    }

    static let everything = Everything(
        text: "plain", flag: true, small: -7, large: .min, unsigned: UInt64(Int64.max), number: 1.5e-9, kind: .two,
        list: [], lists: [["a", "b"], []], map: ["k": .init(name: "in a map")],
        part: .init(name: "outer", parts: [.init(name: "inner", parts: []), .init(name: "next")]),
        any: ["null": .null, "array": [1, "two", .bool(false), 2.5], "empty": .object([:])])

    @Test("What is written is what Foundation reads, and what is read is what was written")
    func roundTrip() throws {
        let bytes = try JSONWriter.bytes(of: Self.everything)
        #expect(try JSONDecoder().decode(Everything.self, from: Data(bytes)) == Self.everything)
        let own = try JSONReader.read(Everything.self, from: StrictJSON.parse(bytes))
        #expect(own == Self.everything)
        let foundation = Array(try JSONEncoder().encode(Self.everything))
        #expect(try JSONReader.read(Everything.self, from: StrictJSON.parse(foundation)) == Self.everything)
    }

    @Test(
        "Every text is written so that it comes back, control characters, quotes and all",
        arguments: [
            "", "\"", "\\", "\\\"\\", "\u{1}\u{1F}", "\n\r\t\u{8}\u{C}", "\u{7F}\u{80}", "ä 한 日 😀 👨‍👩‍👧",
            "e\u{301} \u{2028}\u{2029}", "</script>", String(repeating: "x\"", count: 5_000),
        ])
    func text(text: String) throws {
        let bytes = try JSONWriter.bytes(of: [text])
        #expect(try JSONDecoder().decode([String].self, from: Data(bytes)) == [text])
        #expect(try JSONReader.read([String].self, from: StrictJSON.parse(bytes)) == [text])
        #expect(!bytes.contains { $0 < 0x20 })
    }

    @Test(
        "A value of another kind is a failure that names its place, and no crash",
        arguments: [
            (#"{"name":1}"#, "name"), (#"{"name":null}"#, "name"), ("{}", "name"), ("[]", ""), (#""x""#, ""),
            (#"{"name":"a","parts":{}}"#, "parts"), (#"{"name":"a","parts":[{"name":"b"},{"name":true}]}"#, "name"),
            (#"{"name":"a","parts":[null]}"#, "parts"),
        ])
    func wrongKind(text: String, place: String) throws {
        let value = try StrictJSON.parse(Array(text.utf8))
        do {
            _ = try JSONReader.read(Everything.Part.self, from: value)
            Issue.record("\(text) should have been refused")
        } catch let error as DecodingError {
            let path: [any CodingKey] =
                switch error {
                case .keyNotFound(let key, let context): context.codingPath + [key]
                case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                    context.codingPath
                @unknown default: []
                }
            if !place.isEmpty { #expect(path.contains { $0.stringValue == place }, "\(path)") }
        }
    }

    @Test(
        "A number beyond its type is a failure, and no overflow",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "1e30", "1.5", "99999999999999999999999999",
        ])
    func numbers(text: String) throws {
        struct Holder: Codable { var number: Int64 }
        let value = try StrictJSON.parse(Array(#"{"number":\#(text)}"#.utf8))
        #expect(throws: DecodingError.self) { try JSONReader.read(Holder.self, from: value) }
        let array = try StrictJSON.parse(Array("[300]".utf8))
        #expect(throws: DecodingError.self) { try JSONReader.read([Int8].self, from: array) }
    }
}
