import FakeProviders
import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// Bodies that are made to be expensive. The cost is counted in bytes read, never in time.
@Suite struct HostileBodyTests {
    private static let limit = RequestBody.maximumBytes

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

    @Test("INP-1: the work of parsing is linear in the bytes of a body, whatever it is made of")
    func work() {
        for (name, body) in Self.corpus {
            let bytes = Array(body.utf8)
            #expect(bytes.count <= Self.limit, "\(name)")
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
        #expect(Form.parse("e%CC%81=1&%C3%A9=2") != nil)
        #expect(Form.parse("a=1&a=2") == nil)
    }

    @Test("INP-1: a body is not looked at before the caller has shown a proof", arguments: Engine.available)
    func order(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for (name, body) in Self.corpus {
                let answer = try await world.send(
                    TestCall(path: TestCall.path(Endpoints.logIn.template), body: body))
                #expect(answer.reason == "proof_missing", "\(name)")
                let server = try await world.send(
                    TestCall(
                        path: TestCall.path(Endpoints.ban.template), headers: ["X-Secret-Key": "gsk_x"], body: body))
                #expect(server.code == 5, "\(name)")
            }
            let device = TestDevice()
            for (name, body) in Self.corpus {
                let answer = try await world.send(.post, Endpoints.logIn.template, by: device, body: body)
                #expect(answer.status == 400, "\(name)")
            }
        }
    }

    @Test("INP-3: two subjects that only look alike lead to two members", arguments: Engine.available)
    func subjects(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let names = ["jos\u{e9}", "jose\u{301}"]
            var users: [UserID] = []
            for name in names { users.append(try await world.logIn(.google, name).user) }
            #expect(users[0] != users[1])
            let subjects = names.map { world.idps.subject(of: $0, at: .google) }
            #expect(!subjects[0].isExactly(subjects[1]))
            let body = try World.json(["idPIdList": subjects])
            let answer = try await world.tcgb(
                .post, "gateway/v1.3/apps/{a}/idps/google/members", body: body)
            #expect(users.allSatisfy { answer.text.contains($0.rawValue) }, "\(answer.text)")
        }
    }
}
