import Foundation
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseConsole
@testable import GatehouseCore
@testable import GatehouseServer

/// Forms, queries, headers and cookies that are made to be expensive: a letter with thousands of marks. Sorting them, which every
/// comparison of texts does, costs the square of their number. The work is counted in bytes and letters, never in time.
@Suite struct HostileTextTests {
    /// A letter with marks of about so many bytes.
    private static func marks(bytes: Int) -> [String] {
        let classes: [UInt32] = [0x334, 0x338, 0x327, 0x31b, 0x316, 0x301, 0x315, 0x345]
        func text(_ values: [UInt32]) -> String {
            "e" + String(String.UnicodeScalarView(values.compactMap(Unicode.Scalar.init)))
        }
        let count = bytes / 2
        let repeated = (0..<count).map { classes[$0 * classes.count / count] }
        var state: UInt64 = 7
        let shuffled = (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return classes[Int(state >> 33) % classes.count]
        }
        return [
            text(repeated), text(repeated.reversed()), text(shuffled),
            text((0..<count).map { $0 % 2 == 0 ? 0x301 : 0x316 }),
            // These are of class 0, and become two marks each when a text is normalised.
            text((0..<(bytes / 3)).map { $0 % 2 == 0 ? 0xf73 : 0xf75 }),
        ]
    }

    /// As names, as values, in percent codes, and between other fields.
    private static func forms(bytes: Int) -> [String] {
        marks(bytes: bytes - 64).flatMap { marks in
            ["a=\(marks)", "\(marks)=a", "\(marks)&a=\(marks)", "a=1&b=\(marks)%26&c=2"]
        } + marks(bytes: bytes / 6).map { "a=\($0.percentEncoded)" }
    }

    @Test("INP-1: the work of reading a form is linear in its bytes, whatever marks it has")
    func work() {
        for bytes in [4_096, 16_384, 262_144] {
            for form in Self.forms(bytes: bytes) {
                var work = 0
                let fields = FormEncoding.fields(of: form.utf8, work: &work)
                #expect(work <= 8 * form.utf8.count, "\(work) for \(form.utf8.count)")
                #expect(fields.contains { !$0.isWellFormed })
                for field in fields {
                    #expect(CombiningMarks.areFew(in: field.name) && CombiningMarks.areFew(in: field.value))
                }
                #expect(Form.parse(form) == nil)
            }
        }
    }

    @Test("INP-1: no text that is read from outside has more marks on a letter than people write")
    func texts() {
        for marks in Self.marks(bytes: 8_192) {
            #expect(marks.percentEncoded.percentDecoded == nil)
            #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(Array("[\"\(marks)\"]".utf8)) }
            #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(Array("{\"\(marks)\":1}".utf8)) }
            #expect(ClientAddress(marks) == nil && SplitToken(marks) == nil)
            // The limit is one of bytes: what follows them is not read.
            #expect(AcceptedLanguages.parse("\(marks),ko") == [])
            #expect(AcceptedLanguages.parse("ja,\(marks)") == ["ja"])
        }
        // A letter with a mark is another one, but its bytes begin with the separator's.
        #expect(ClientInformation(headerValue: "osCode=\u{301}I&\u{301}a=1&language=ko")?.osCode == "\u{301}I")
        #expect(ClientInformation(headerValue: "osCode=\u{301}I&\u{301}a=1&language=ko")?.language == "ko")
        #expect(Mapping.parse(authKey: "google:\u{301}x")?.subject == "\u{301}x")
        let written = "Z" + String(repeating: "\u{301}\u{316}", count: CombiningMarks.maximum / 2) + "algo"
        #expect(written.percentEncoded.percentDecoded == written)
        #expect((try? StrictJSON.parse(Array("\"\(written)\"".utf8)))?.string == written)
    }

    private static let headers = [
        "Accept-Language", "X-Forwarded-For", "Forwarded", "X-Real-IP", "Authorization", "DPoP", "Cookie",
        "Content-Type", "Origin", "Sec-Fetch-Site", "User-Agent", "Idempotency-Key", "X-Secret-Key",
        "X-TCGB-Transaction-Id",
        HeaderNames.client, HeaderNames.proof, HeaderNames.secretKey, HeaderNames.transactionID, "X-Nobody-Reads",
    ]

    @Test("INP-1: a header with such a text is refused before anybody reads it")
    func header() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let marks = Self.marks(bytes: 7_000)
            let paths = [
                TestCall.path(Endpoints.launching.template), "/console/sign-in", "/health/live",
                TestCall.path(Endpoints.logIn.template), "/tcgb-gateway/v1.3/apps/game/members",
            ]
            for (number, name) in Self.headers.enumerated() {
                for (other, path) in paths.enumerated() {
                    let headers = [name: marks[(number + other) % marks.count]]
                    for method in [HTTPRequest.Method.get, .post] {
                        let answer = try await server.send(TestCall(method: method, path: path, headers: headers))
                        #expect(answer.status == 400 && answer.code == 3, "\(name) \(method) \(path): \(answer.status)")
                    }
                }
            }
        }
    }

    @Test("INP-1: a request's target is ASCII, and its queries have no such text")
    func target() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let browser = try await server.developer()
            for marks in Self.marks(bytes: 1_000).map(\.percentEncoded) {
                let callback = TestCall.path(Endpoints.callback).replacing("{idp}", with: "google")
                let answer = try await server.send(TestCall(method: .get, path: "\(callback)?state=\(marks)"))
                #expect(answer.status == 400)
                let page = try await browser.get("/console/find?app=game&q=\(marks)")
                #expect([200, 404].contains(page.status), "\(page.status)")
                #expect(!page.html.contains(String(repeating: "\u{301}", count: 300)))
                #expect(try await browser.get("/console/apps/game/members/\(marks)").status == 404)
            }
        }
    }

    @Test("INP-1: of somebody without a session the console reads no form, and of a sign-in 8 KB")
    func order() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let large = ["a": String(repeating: "x", count: 300_000)]
            let paths = ["/console/apps/game/do/member.banned", "/console/do/operator.invited/check", "/console/me"]
            for browser in [server.stranger, ConsoleBrowser(server: server, person: "", cookie: "A")] {
                for path in paths {
                    // A body that was looked at would be refused as too large, or as no form.
                    for headers in [[:], ["Content-Type": "text/plain"]] {
                        let page = try await browser.post(path, large, headers: headers)
                        #expect(page.status == 200 && (try? page.form("/sign-in")) != nil, "\(path): \(page.status)")
                    }
                    for headers in [["Origin": "https://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
                        #expect(try await browser.post(path, large, headers: headers).status == 403, "\(path)")
                    }
                }
                for path in ["/console/sign-in", "/console/enrol/none"] {
                    let foreign = try await browser.post(path, large, headers: ["Origin": "https://evil.example"])
                    #expect(foreign.status == 403)
                    let more = ["name": String(repeating: "x", count: FormValues.strangersBytes)]
                    #expect(try await browser.post(path, more).status == 413)
                    let less = ["name": String(repeating: "x", count: FormValues.strangersBytes - 10)]
                    #expect(try await browser.post(path, less).status != 413)
                }
            }
            let developer = try await server.developer()
            #expect(try await developer.post(paths[0], large).status == 413)
        }
    }

    @Test(
        "INP-1: callbacks that are no forms count against their address, which is then refused before its form is read")
    func callbacks() async throws {
        try await TestServer.open(on: .sqlite) { server in
            _ = try await server.run(
                SetLimits {
                    $0.newGuestsPerMinute = 0
                    $0.refusedProofsPerMinute = 60
                })
            server.clock.advance(seconds: 2)
            let path = TestCall.path(Endpoints.callback).replacing("{idp}", with: "google")
            let type = ["Content-Type": "application/x-www-form-urlencoded"]
            let bodies = Self.marks(bytes: 16_000).map { "a=\($0)" }
            var statuses: [Int] = []
            for round in 0..<200 where statuses.last != 429 {
                let body = bodies[round % bodies.count]
                statuses.append(try await server.send(TestCall(path: path, headers: type, body: body)).status)
            }
            #expect(statuses.dropLast().allSatisfy { $0 == 400 } && statuses.last == 429)
            let large = TestCall(path: path, headers: type, body: String(repeating: "a", count: 100_000))
            #expect(try await server.send(large).status == 429)
            server.clock.advance(seconds: 120)
            #expect(try await server.send(large).status == 413)
        }
    }
}
