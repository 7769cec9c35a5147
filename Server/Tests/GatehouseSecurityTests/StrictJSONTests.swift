import Foundation
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import Testing

/// The parser of everything that comes from outside. The cost is counted in bytes read, never in time.
@Suite struct StrictJSONTests {
    private static func object(names: [String]) -> String {
        "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }

    /// One letter with many marks: for Unicode, and for Swift's `==`, it is the same text in any order of the marks.
    private static func marks(_ number: Int, count: Int) -> String {
        let marks = (0..<count).map { UInt32(0x300 + ($0 * 7 + number) % 0x4f) }.compactMap(Unicode.Scalar.init)
        return "a" + String(String.UnicodeScalarView(marks)) + String(format: "%03d", number)
    }

    static let corpus: [(name: String, body: String)] = [
        ("names with combining marks", object(names: (0..<127).map { marks($0, count: 240) })),
        ("names that begin alike", object(names: (0..<127).map { String(repeating: "x", count: 480) + "\($0 + 100)" })),
        ("names of escapes", object(names: (0..<100).map { String(repeating: "\\u0061", count: 90) + "\($0 + 100)" })),
        ("short names", object(names: (0..<128).map { "n\($0)" })),
        (
            "objects in objects",
            String(repeating: #"{"a":"#, count: 15) + object(names: (0..<127).map { marks($0, count: 200) })
                + String(repeating: "}", count: 15)
        ),
        ("many small objects", "[" + Array(repeating: #"{"a":0,"b":0}"#, count: 600).joined(separator: ",") + "]"),
        ("deep", String(repeating: "[", count: 60_000)),
        ("wide", "[" + Array(repeating: "0", count: 30_000).joined(separator: ",") + "]"),
        ("a long number", "[" + String(repeating: "9", count: 60_000) + "]"),
        ("a long fraction", "[0." + String(repeating: "1", count: 60_000) + "]"),
        ("a long string of escapes", "[\"" + String(repeating: #"\n"#, count: 30_000) + "\"]"),
        ("a long string of marks", "[\"a" + String(repeating: "\u{301}\u{323}", count: 14_000) + "\"]"),
        ("white space", String(repeating: " ", count: 60_000) + "{}"),
        ("duplicates at the end", object(names: (0..<100).map { marks($0, count: 200) } + [marks(99, count: 200)])),
    ]

    @Test(
        "Strict JSON reads what RFC 8259 says",
        arguments: [
            (#"{"a":[1,-2.5e3,true,false,null,"x"],"b":{}}"#, true), (#""\u00e9\n\"\\\/\ud83d\ude00""#, true),
            (" 0 ", true),
            ("-0", true), ("01", false), ("1.", false), (".5", false), ("+1", false), ("1e", false), ("tru", false),
            ("", false),
            ("\"a\nb\"", false), (#""\x""#, false), (#""\u12""#, false), (#"{"a":1,}"#, false), ("[1,]", false),
            ("[1 2]", false),
            (#"{"a" 1}"#, false), (#"{a:1}"#, false), ("nul", false), ("\u{7f}", false), (#"{"a":1,"a":2}"#, false),
            (#"{"a":1,"\u0061":2}"#, false), ("9223372036854775808", true), ("1e309", false),
        ])
    func strictJSON(text: String, isValid: Bool) {
        #expect(((try? StrictJSON.parse(Array(text.utf8))) != nil) == isValid)
    }

    private static let refused: [(name: String, body: String)] = [
        ("empty", ""), ("not JSON", "provider=guest"), ("cut off", #"{"provider":"gue"#),
        ("a trailing comma", #"{"provider":"guest",}"#), ("two documents", "{}{}"),
        ("single quotes", "{'provider':'guest'}"), ("a comment", #"{"provider":"guest"/**/}"#),
        ("NUL in a string", #"{"provider":"gu\u0000est"}"#), ("a raw NUL", "{\"provider\":\"gu\u{0}est\"}"),
        ("a lone high surrogate", #"{"provider":"\ud800"}"#), ("a lone low surrogate", #"{"provider":"\udc00x"}"#),
        ("two byte order marks", "\u{feff}\u{feff}{\"provider\":\"guest\"}"),
        ("a byte order mark behind the document", "{\"provider\":\"guest\"}\u{feff}"),
        ("a byte order mark alone", "\u{feff}"),
        ("a name twice", #"{"provider":"guest","provider":"guest"}"#),
        ("nesting of 100,000? no: of 10,000", String(repeating: "[", count: 10_000)),
        ("nesting of 17 objects", String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17)),
        ("a number too large", #"{"provider":1e400}"#),
        ("a number of 10,000 digits", #"{"provider":"# + String(repeating: "9", count: 10_000) + "}"),
        ("a million? no: 10,000 values", #"{"provider":["# + String(repeating: "1,", count: 10_000) + "1]}"),
        ("a leading zero", #"{"provider":01}"#), ("NaN", #"{"provider":NaN}"#),
    ]

    @Test("INP-1, INP-4: what a careless parser might take is refused")
    func careless() {
        for (name, body) in Self.refused {
            #expect(throws: StrictJSON.Failure.self, "\(name)") { try StrictJSON.parse(Array(body.utf8)) }
        }
    }

    @Test(
        "Strict JSON refuses bytes that are no UTF-8",
        arguments: [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
            [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(bytes) }
    }

    @Test("A byte order mark before the document is passed over (RFC 8259 section 8.1), and other encodings are named")
    func encodings() throws {
        let text = #"{"provider":"guest"}"#
        #expect(try StrictJSON.parse([0xef, 0xbb, 0xbf] + Array(text.utf8)) == StrictJSON.parse(Array(text.utf8)))
        let big = text.utf8.flatMap { [0, $0] as [UInt8] }
        let little = text.utf8.flatMap { [$0, 0] as [UInt8] }
        let documents: [[UInt8]] = [
            [0xfe, 0xff] + big, [0xff, 0xfe] + little, big, little, [0, 0, 0xfe, 0xff], [0xff, 0xfe, 0, 0],
        ]
        for bytes in documents {
            let failure = #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(bytes) }
            #expect(failure?.reason.contains("UTF-16") == true)
        }
    }

    @Test("INP-1: the work of parsing is linear in the bytes of a body, whatever it is made of")
    func work() {
        for (name, body) in Self.corpus {
            let bytes = Array(body.utf8)
            var work = 0
            _ = try? StrictJSON.parse(bytes, work: &work)
            #expect(work <= 4 * bytes.count + 1_000, "\(name): \(work) for \(bytes.count) bytes")
        }
    }

    @Test("INP-4: a name that stands twice is found among few and among many")
    func duplicates() throws {
        for count in [2, 8, 9, 10, 127] {
            let names = (0..<count - 1).map { "name\($0)" }
            for twice in [0, count / 2, count - 2] {
                let body = Self.object(names: names + ["name\(min(twice, count - 2))"])
                #expect(throws: StrictJSON.Failure.self, "\(count)") { try StrictJSON.parse(Array(body.utf8)) }
            }
            #expect(throws: Never.self) { try StrictJSON.parse(Array(Self.object(names: names).utf8)) }
        }
    }

    @Test("INP-3: names and values are what their bytes are: what only looks alike is another")
    func exactness() throws {
        // The Kelvin sign, and a letter with an accent in its two spellings.
        let value = try StrictJSON.parse(Array("{\"transfer\u{212a}ey\":1,\"e\u{301}\":2,\"\u{e9}\":3}".utf8))
        #expect(value["transferKey"] == nil)
        #expect(value["transfer\u{212a}ey"] == .integer(1))
        #expect(value["e\u{301}"] == .integer(2))
        #expect(value["\u{e9}"] == .integer(3))
        struct Holder: Decodable { var transferKey: Int? }
        #expect(try JSONReader.read(Holder.self, from: value).transferKey == nil)
    }

    @Test("INP-7: no bytes make the parsers stop the process")
    func fuzz() {
        var state: UInt64 = 42
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let seeds = [
            #"{"provider":"guest","n":[1,2.5e-3,-0,null,true],"s":"\u00e9\ud83d\ude00"}"#,
            "eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.AAAA",
        ]
        var parsed = 0
        for round in 0..<20_000 {
            var bytes = Array(seeds[round % 2].utf8)
            for _ in 0...(next() % 6) {
                let position = Int(next() % UInt64(bytes.count))
                switch next() % 3 {
                case 0: bytes[position] = UInt8(truncatingIfNeeded: next())
                case 1: bytes.insert(UInt8(truncatingIfNeeded: next()), at: position)
                default: if bytes.count > 1 { bytes.remove(at: position) }
                }
            }
            if (try? StrictJSON.parse(bytes)) != nil { parsed += 1 }
            _ = CompactJWS(String(decoding: bytes, as: UTF8.self), maximumLength: 4_096)
            _ = ClientAddress(String(decoding: bytes, as: UTF8.self))
            _ = SplitToken(String(decoding: bytes, as: UTF8.self))
            var work = 0
            _ = FormEncoding.fields(of: bytes, work: &work)
            _ = AcceptedLanguages.parse(String(decoding: bytes, as: UTF8.self))
        }
        #expect(parsed > 0)
    }
}
