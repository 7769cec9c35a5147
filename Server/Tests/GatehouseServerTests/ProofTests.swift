import Crypto
import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct ProofTests {
    /// One invalid proof: what is wrong, and the expected refusal.
    struct WrongProof: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: ErrorReason
        let make: @Sendable (TestDevice, _ path: String, Moment) throws -> String

        var testDescription: String { name }

        init(
            _ name: String, _ reason: ErrorReason,
            _ make: @escaping @Sendable (TestDevice, _ path: String, Moment) throws -> String
        ) {
            self.name = name
            self.reason = reason
            self.make = make
        }

        static func header(_ name: String, _ value: JSONValue?) -> WrongProof {
            WrongProof("header \(name) \(value.map { "\($0)" } ?? "absent")", .proofMalformed) {
                try $0.proof("POST", $1, at: $2, header: [name: value])
            }
        }

        static func claim(_ name: String, _ value: JSONValue?, _ reason: ErrorReason = .proofMalformed) -> WrongProof {
            WrongProof("claim \(name) \(value.map { "\($0)" } ?? "absent")", reason) {
                try $0.proof("POST", $1, at: $2, claims: [name: value])
            }
        }

        static let all: [WrongProof] = [
            header("typ", nil), header("typ", "JWT"), header("typ", 1), header("alg", "none"), header("alg", "HS256"),
            header("alg", "RS256"), header("alg", nil), header("jwk", nil), header("jwk", "key"),
            header("jwk", ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]), header("crit", ["exp"]),
            header("jwk", ["kty": "oct", "k": "AAAA"]),
            claim("jti", nil), claim("jti", ""), claim("jti", 12_345_678),
            claim("jti", .string(String(repeating: "j", count: 129))),
            claim("htm", nil), claim("htm", "GET", .proofMismatch), claim("htm", "post", .proofMismatch),
            claim("htu", nil), claim("htu", "https://evil.example.com/v1/apps/game/login", .proofMismatch),
            claim("htu", "https://login.example.com.evil.com/v1/apps/game/login", .proofMismatch),
            claim("htu", "http://login.example.com/v1/apps/game/login", .proofMismatch),
            claim("htu", "https://login.example.com/v1/apps/game/member", .proofMismatch),
            claim("htu", "https://login.example.com/v1/apps/other-game/login", .proofMismatch),
            claim("htu", "/v1/apps/game/login", .proofMismatch),
            claim("iat", nil), claim("iat", "1795219200"), claim("iat", -1), claim("iat", .number(1e300)),
            claim("iat", .integer(.max)), claim("iat", .number(1_795_219_200.5)),
            claim("ath", "AAAA", .proofMismatch),
            WrongProof("issued 61 seconds ago", .proofStale) {
                try $0.proof("POST", $1, at: $2.adding(seconds: -61))
            },
            WrongProof("issued in 31 seconds", .proofStale) { try $0.proof("POST", $1, at: $2.adding(seconds: 31)) },
            WrongProof("signed by another key", .proofMalformed) {
                try $0.proof("POST", $1, at: $2, signedBy: P256.Signing.PrivateKey())
            },
            WrongProof("a signature in DER form", .proofMalformed) { device, path, moment in
                let proof = try device.proof("POST", path, at: moment)
                let input = proof.split(separator: ".").prefix(2).joined(separator: ".")
                let signature = try device.key.signature(for: Data(input.utf8)).derRepresentation
                return "\(input).\(Base64URL.encode(signature))"
            },
            WrongProof("a signature of zeros", .proofMalformed) { device, path, moment in
                let input = try device.proof("POST", path, at: moment).split(separator: ".").prefix(2)
                return "\(input.joined(separator: ".")).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))"
            },
            WrongProof("no signature", .proofMalformed) {
                try $0.proof("POST", $1, at: $2).split(separator: ".").prefix(2).joined(separator: ".") + "."
            },
            WrongProof("padding", .proofMalformed) { try $0.proof("POST", $1, at: $2) + "=" },
            WrongProof("four parts", .proofMalformed) { try $0.proof("POST", $1, at: $2) + ".AAAA" },
            WrongProof("not a token", .proofMalformed) { _, _, _ in "gibberish" },
            WrongProof("a header that is no object", .proofMalformed) { device, path, moment in
                let parts = try device.proof("POST", path, at: moment).split(separator: ".")
                return "\(Base64URL.encode(Array("[]".utf8))).\(parts[1]).\(parts[2])"
            },
            WrongProof("too long", .proofMalformed) {
                try $0.proof("POST", $1, at: $2, claims: ["more": .string(String(repeating: "x", count: 4_096))])
            },
        ]
    }

    @Test("SES-10: a wrong proof is refused with a reason, audited, and writes nothing", arguments: WrongProof.all)
    func wrongProof(wrong: WrongProof) async throws {
        try await World.open(on: .sqlite) { world in
            let device = TestDevice()
            let path = TestCall.path(Endpoints.logIn.template)
            let proof = try wrong.make(device, path, world.clock.now)
            let answer = try await world.logIn(device, headers: [HeaderNames.proof: proof])
            #expect(answer.status == 401)
            #expect(answer.code == 3201)
            #expect(answer.reason == wrong.reason.rawValue)
            #expect(world.audit.events == ["proof.refused"])
            #expect(!answer.text.contains(proof))
            #expect(!world.audit.text.contains(proof))
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("A call without a proof, or with two, is refused")
    func missingProof() async throws {
        try await World.open(on: .sqlite) { world in
            let answer = try await world.send(
                TestCall(path: TestCall.path(Endpoints.logIn.template), body: #"{"provider":"guest"}"#))
            #expect(answer.status == 401)
            #expect(answer.code == 3201)
            #expect(answer.reason == "proof_missing")
            #expect(answer.headers[.wwwAuthenticate] == #"DPoP error="invalid_dpop_proof", algs="ES256""#)
        }
    }

    @Test("A stale proof's refusal tells the server's time, and a proof by that time is accepted")
    func wrongClock() async throws {
        try await World.open(on: .sqlite) { world in
            let device = TestDevice()
            let path = TestCall.path(Endpoints.logIn.template)
            for years in [-10, 10] {
                let wrong = world.clock.now.adding(seconds: Int64(years) * 31_536_000)
                let refused = try await world.logIn(
                    device, headers: [HeaderNames.proof: try device.proof("POST", path, at: wrong)])
                #expect(refused.reason == "proof_stale")
                let date = try #require(refused.details?.serverDate)
                #expect(date == world.clock.now.milliseconds)
                let right = try device.proof("POST", path, at: Moment(milliseconds: date))
                #expect(try await world.logIn(device, headers: [HeaderNames.proof: right]).status == 200)
            }
        }
    }

    @Test("SES-2: a proof counts once, on every node and for every kind of call", arguments: Engine.available)
    func replay(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let loginPath = TestCall.path(Endpoints.logIn.template)
            let loginProof = try device.proof("POST", loginPath, at: world.clock.now)
            let first = try await world.logIn(device, headers: [HeaderNames.proof: loginProof])
            let login = try first.decoded(as: Login.self)
            let refresh = try #require(login.session.refreshToken)
            world.audit.clear()

            let replayed = try await world.logIn(device, headers: [HeaderNames.proof: loginProof])
            #expect(replayed.status == 401)
            #expect(replayed.code == 3201)
            #expect(replayed.reason == "proof_replayed")

            let memberPath = TestCall.path(Endpoints.member.template)
            let memberProof = try device.proof(
                "GET", memberPath, token: login.session.accessToken.secretValue, at: world.clock.now)
            for expected in [200, 401] {
                let answer = try await world.send(
                    .get, Endpoints.member.template, by: device, token: login.session.accessToken.secretValue,
                    headers: [HeaderNames.proof: memberProof])
                #expect(answer.status == expected)
            }

            let refreshPath = TestCall.path(Endpoints.refreshSession.template)
            let refreshProof = try device.proof("POST", refreshPath, token: refresh.secretValue, at: world.clock.now)
            @Sendable func expectRefresh(_ world: World, _ status: Int) async throws {
                let answer = try await world.send(
                    .post, Endpoints.refreshSession.template, by: device, token: refresh.secretValue,
                    headers: [HeaderNames.proof: refreshProof])
                #expect(answer.status == status)
            }
            try await expectRefresh(world, 200)
            try await world.onSecondNode { try await expectRefresh($0, 401) }
            try await expectRefresh(world, 401)
            #expect(world.audit.events.allSatisfy { $0 == "proof.refused" })
            #expect(world.audit.events.count == 4)
        }
    }

    @Test("SES-2: a proof for one token does not serve another", arguments: Engine.available)
    func otherToken(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let one = try await world.guest(device)
            let two = try await world.guest(device)
            let path = TestCall.path(Endpoints.member.template)
            let proof = try device.proof("GET", path, token: one.session.accessToken.secretValue, at: world.clock.now)
            let answer = try await world.send(
                .get, Endpoints.member.template, by: device, token: two.session.accessToken.secretValue,
                headers: [HeaderNames.proof: proof])
            #expect(answer.status == 401)
            #expect(answer.code == 3012)
            #expect(answer.reason == "proof_mismatch")
        }
    }

    @Test("The thumbprint of RFC 7638 is computed as RFC 9449's example has it")
    func thumbprint() throws {
        // RFC 9449 section 6.1: the key of the example proofs, and the jkt of the token bound to it.
        let key = PublicKey(
            x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")
        #expect(ProofVerifier.thumbprint(key) == KeyThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"))
    }

    @Test("The example proof of RFC 9449 section 4.1 verifies at its time and for its target")
    func publishedProof() throws {
        let proof = """
            eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRj\
            QyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGk\
            iOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMj\
            YyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
            """
        let verifier = ProofVerifier(origins: .only(["https://server.example.com"]))
        let moment = Moment(milliseconds: 1_562_262_616_000)
        let verified = try verifier.verify(
            proof, for: ProofTarget(method: "POST", path: "/token", token: nil), at: moment)
        #expect(verified.key == KeyThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"))
        #expect(throws: ProofFailure.self) {
            try verifier.verify(proof, for: ProofTarget(method: "GET", path: "/token", token: nil), at: moment)
        }
    }

    @Test("A replay guard forgets a proof only when its time is over")
    func replayGuardGenerations() {
        let replays = ReplayGuard()
        var moment = Moment(milliseconds: 1_000_000)
        func proof(_ number: UInt8) -> Proof {
            Proof(
                key: KeyThumbprint("k"), id: [UInt8](repeating: number, count: 16), issuedAt: moment.milliseconds,
                origin: "http://localhost")
        }
        #expect(replays.claim(proof(1), at: moment))
        #expect(!replays.claim(proof(1), at: moment))
        moment = moment.adding(seconds: 89)
        #expect(replays.claim(proof(2), at: moment))
        moment = moment.adding(seconds: 2)
        #expect(!replays.claim(proof(1), at: moment))
        #expect(!replays.claim(proof(2), at: moment))
        moment = moment.adding(seconds: 1_000)
        #expect(replays.claim(proof(1), at: moment))
    }
}
