import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct DoorTests {
    @Test("NET-2: a client's address comes from a trusted proxy's header, and from nobody else's")
    func clientAddress() throws {
        let proxies = try #require(Networks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/33"]))
        func client(_ peer: String, _ header: String...) -> String {
            "\(proxies.client(peer: ClientAddress(peer) ?? .unknown, forwardedFor: header))"
        }
        #expect(client("203.0.113.9", "1.1.1.1") == "203.0.113.9")
        #expect(client("10.1.2.3", "1.1.1.1") == "1.1.1.1")
        #expect(client("10.1.2.3", "6.6.6.6, 1.1.1.1, 10.9.9.9") == "1.1.1.1")
        #expect(client("10.1.2.3", "6.6.6.6", "1.1.1.1") == "1.1.1.1")
        #expect(client("192.0.2.7", "[2001:db9::1]:4711") == "2001:db9::1")
        #expect(client("192.0.2.8", "1.1.1.1") == "192.0.2.8")
        #expect(client("10.1.2.3", "nonsense") == "10.1.2.3")
        #expect(client("10.1.2.3") == "10.1.2.3")
        #expect(client("10.1.2.3", "1.1.1.1:80") == "1.1.1.1")
        #expect(client("::ffff:10.1.2.3", "1.1.1.1") == "1.1.1.1")
        #expect(client("2001:db8:7fff::1", "1.1.1.1") == "1.1.1.1")
        #expect(client("2001:db8:8000::1", "1.1.1.1") == "2001:db8:8000::1")
        for wrong in ["10.0.0.0/33", "10.0.0/8", "x", "10.0.0.0/-1", "10.0.0.0/"] {
            #expect(Networks([wrong]) == nil)
        }
    }

    @Test("Limits count an IPv6 subscriber's whole network as one")
    func network() throws {
        let one = try #require(ClientAddress("2001:db8:1:2::1"))
        let same = try #require(ClientAddress("2001:db8:1:2:ffff::9"))
        let other = try #require(ClientAddress("2001:db8:1:3::1"))
        #expect(one.network == same.network)
        #expect(one.network != other.network)
    }

    @Test(
        "Accept-Language is read by weight, and never more than is sensible",
        arguments: [
            ("ko", ["ko"]), ("en;q=0.5, ko;q=0.9, ja", ["ja", "ko", "en"]), ("ko;q=0", []), ("*", []),
            ("en-US,en;q=0.9", ["en-US", "en"]), ("a", []), ("<script>", []),
            (String(repeating: "en,", count: 500), Array(repeating: "en", count: 8)),
        ])
    func acceptLanguage(header: String, languages: [String]) {
        #expect(AcceptedLanguages.parse(header) == languages)
    }

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

    @Test(
        "Strict JSON refuses bytes that are no UTF-8",
        arguments: [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
            [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(bytes) }
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
            _ = Form.parse(String(decoding: bytes, as: UTF8.self))
            _ = AcceptedLanguages.parse(String(decoding: bytes, as: UTF8.self))
        }
        #expect(parsed > 0)
    }

    @Test(
        "User ids are of the alphabet, grow with time, and take any clock",
        arguments: [
            0, 1, 1_704_067_199_999, 1_704_067_200_000, 1_795_219_200_000, 3_900_000_000_000, .max, .min,
        ] as [Int64])
    func userIDs(milliseconds: Int64) {
        let id = TimeOrderedID.user(at: Moment(milliseconds: milliseconds), random: .live)
        #expect(id.rawValue.count == UserID.length)
        #expect(id.rawValue.allSatisfy { UserID.alphabet.contains($0) })
        #expect(TimeOrderedID.session(at: Moment(milliseconds: milliseconds), random: .live).rawValue.count == 26)
    }

    @Test("Later ids sort after earlier ones")
    func order() {
        var last = (user: "", session: "")
        for second in 0..<1_000 {
            let moment = Moment(milliseconds: 1_795_219_200_000 + Int64(second) * 999)
            let next = (
                user: TimeOrderedID.user(at: moment, random: .live).rawValue,
                session: TimeOrderedID.session(at: moment, random: .live).rawValue
            )
            #expect(next.user > last.user && next.session > last.session)
            last = next
        }
    }

    @Test("A far future never overflows")
    func saturation() {
        #expect(Moment(milliseconds: .max - 1).adding(seconds: 10).milliseconds == .max)
        #expect(Moment(milliseconds: 0).adding(seconds: .max).milliseconds == .max)
        #expect(Moment(milliseconds: 0).adding(seconds: .min).milliseconds == .min)
    }

    @Test("SES-1: a hundred thousand tokens differ and share no beginning")
    func randomness() {
        var tokens: Set<[UInt8]> = []
        var beginnings: [[UInt8]: Int] = [:]
        for _ in 0..<100_000 {
            let bytes = RandomSource.live.bytes(32)
            tokens.insert(bytes)
            beginnings[Array(bytes.prefix(8)), default: 0] += 1
        }
        #expect(tokens.count == 100_000)
        #expect(beginnings.values.max() == 1)
    }
}
