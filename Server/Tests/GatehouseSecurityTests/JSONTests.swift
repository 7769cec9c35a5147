import Foundation
import GatehouseJSON
import GatehouseWire
import Testing

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

    @Test("A value that writes itself writes what its Codable conformance would write")
    func writable() throws {
        let member = Member(
            appId: AppID("app"), userId: UserID("user"), status: .graceBanned, registrationDate: 1, lastLoginDate: -2,
            mappings: [
                Mapping(provider: .google, subject: "a\"b", registrationDate: 3),
                Mapping(provider: .guest, subject: "", registrationDate: 4, revokedDate: 5),
            ],
            temporaryWithdrawal: TemporaryWithdrawal(gracePeriodDate: 6),
            graceBan: GraceBan(
                gracePeriodDate: 7, message: "한 &", paymentStatus: .init(amount: 0.5, count: 1, currency: "KRW"),
                releaseRuleCondition: .init(amount: 1e12, count: 2, currency: "KRW", conditionType: .and)))
        var plain = member
        (plain.temporaryWithdrawal, plain.graceBan, plain.mappings) = (nil, nil, [])
        let standing = Standing(
            isPlayable: true, reason: .graceBanned, untilDate: 8, launchingStatus: .inService,
            memberStatus: .graceBanned, message: "m", actions: [.play, .wait], revokedProviders: [.apple],
            updateURL: "https://example.com")
        let short = Standing(
            isPlayable: false, reason: .good, untilDate: nil, launchingStatus: .inTest, memberStatus: .normal,
            message: nil, actions: [])
        let tokens = SessionTokens(
            accessToken: AccessToken("access"), accessTokenExpiryDate: 9, refreshToken: RefreshToken("refresh"),
            sessionExpiryDate: 10)
        var renewed = tokens
        renewed.refreshToken = nil
        for (member, standing, tokens) in [(member, standing, tokens), (plain, short, renewed)] {
            try expectSame(
                Login(member: member, provider: .google, session: tokens, standing: standing, serverDate: 11))
            try expectSame(SessionRenewal(session: tokens, serverDate: .max))
            try expectSame(MemberChange(member: member, standing: standing, serverDate: .min))
        }
    }

    private func expectSame<Value: JSONWritable & Decodable & Equatable>(_ value: Value) throws {
        let bytes = try JSONWriter.bytes(of: value)
        #expect(try JSONDecoder().decode(Value.self, from: Data(bytes)) == value)
        // Foundation calls the value's own `encode(to:)`.
        let expected = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) == expected)
    }

    @Test("What is escaped is found wherever it stands in a text")
    func escapes() throws {
        for mark in ["\"", "\\", "\u{0}", "\u{1F}", "é"] {
            for (before, after) in (0..<20).flatMap({ before in (0..<10).map { (before, $0) } }) {
                let text = String(repeating: " ", count: before) + mark + String(repeating: "~", count: after)
                let bytes = try JSONWriter.bytes(of: [text])
                #expect(try JSONDecoder().decode([String].self, from: Data(bytes)) == [text])
            }
        }
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
