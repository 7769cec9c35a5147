import Crypto
import Foundation
import GatehouseJSON
import GatehouseSecurity
import GatehouseWire
import Testing

/// Proofs of possession (RFC 9449).
@Suite struct ProofTests {
    static let origin = "https://login.example.com"
    static let path = "/v1/apps/game/login"
    static let now = Moment(milliseconds: 1_795_219_200_000)
    static let verifier = ProofVerifier(origins: PublicOrigins([origin]) ?? .loopback)

    /// A device's key, with which it signs proofs, valid ones and invalid ones.
    struct Device: Sendable {
        var key = P256.Signing.PrivateKey()

        var jwk: PublicKey {
            let bytes = key.publicKey.rawRepresentation
            return PublicKey(x: Base64URL.encode(bytes.prefix(32)), y: Base64URL.encode(bytes.suffix(32)))
        }

        /// A proof. A test changes members through `header` and `claims`; nil removes a member.
        func proof(
            _ method: String, _ path: String, token: String? = nil, at moment: Moment,
            header changedHeader: [String: JSONValue?] = [:], claims changedClaims: [String: JSONValue?] = [:],
            signedBy other: P256.Signing.PrivateKey? = nil
        ) throws -> String {
            var header: [String: JSONValue] = [
                "typ": "dpop+jwt", "alg": "ES256",
                "jwk": ["kty": "EC", "crv": "P-256", "x": .string(jwk.x), "y": .string(jwk.y)],
            ]
            var claims: [String: JSONValue] = [
                "jti": .string(Base64URL.encode(RandomSource.live.bytes(16))), "htm": .string(method),
                "htu": .string(ProofTests.origin + path), "iat": .integer(moment.milliseconds / 1_000),
            ]
            if let token { claims["ath"] = .string(ProofVerifier.tokenHash(token)) }
            for (name, value) in changedHeader { header[name] = value }
            for (name, value) in changedClaims { claims[name] = value }
            let parts = [try JSONWriter.bytes(of: header), try JSONWriter.bytes(of: claims)]
            let input = parts.map { Base64URL.encode($0) }.joined(separator: ".")
            let signature = try (other ?? key).signature(for: Data(input.utf8))
            return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
        }
    }

    /// One invalid proof: what is wrong, and the expected refusal.
    struct WrongProof: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: ErrorReason
        let make: @Sendable (Device, _ path: String, Moment) throws -> String

        var testDescription: String { name }

        init(
            _ name: String, _ reason: ErrorReason,
            _ make: @escaping @Sendable (Device, _ path: String, Moment) throws -> String
        ) {
            self.name = name
            self.reason = reason
            self.make = make
        }

        /// The beginning of a value's JSON.
        private static func spelled(_ value: JSONValue?) -> String {
            guard let value else { return "absent" }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let bytes = try? encoder.encode(value) else { return "unwritable" }
            return String(String(decoding: bytes, as: UTF8.self).prefix(80))
        }

        static func header(_ name: String, _ value: JSONValue?) -> WrongProof {
            WrongProof("header \(name) \(spelled(value))", .proofMalformed) {
                try $0.proof("POST", $1, at: $2, header: [name: value])
            }
        }

        static func claim(_ name: String, _ value: JSONValue?, _ reason: ErrorReason = .proofMalformed) -> WrongProof {
            WrongProof("claim \(name) \(spelled(value))", reason) {
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
            claim("htu", "https://login.example.com//v1/apps/game/login", .proofMismatch),
            claim("htu", "https://login.example.com/v1/apps/game/Login", .proofMismatch),
            claim("htu", "https://login.example.com:8443/v1/apps/game/login", .proofMismatch),
            claim("htu", "https://kim@login.example.com/v1/apps/game/login", .proofMismatch),
            claim("htu", "https://login.example.com/?/v1/apps/game/login", .proofMismatch),
            claim("iat", nil), claim("iat", "1795219200"), claim("iat", -1), claim("iat", .number(1e300)),
            claim("iat", .integer(.max)), claim("iat", .number(1_795_219_200.5)),
            claim("ath", "AAAA", .proofMismatch), claim("jti", "1234567"),
            WrongProof("for a token that is not sent", .proofMismatch) {
                try $0.proof("POST", $1, token: "other", at: $2)
            },
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

    private static func failure(_ proof: String, token: String? = nil) -> ProofFailure? {
        do {
            _ = try verifier.verify(proof, for: ProofTarget(method: "POST", path: path, token: token), at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("SES-10: a proof that is wrong in one point is refused with the reason", arguments: WrongProof.all)
    func wrongProof(wrong: WrongProof) throws {
        #expect(Self.failure(try wrong.make(Device(), Self.path, Self.now))?.reason == wrong.reason)
    }

    @Test("SES-10, SES-2: a proof that is right is its key's, in its minute, and for its token alone")
    func rightProof() throws {
        let device = Device()
        for seconds in [-60, 0, 30] as [Int64] {
            let text = try device.proof("POST", Self.path, token: "one", at: Self.now.adding(seconds: seconds))
            let target = ProofTarget(method: "POST", path: Self.path, token: "one")
            let proof = try Self.verifier.verify(text, for: target, at: Self.now)
            #expect(proof.key == ProofVerifier.thumbprint(device.jwk))
            #expect(proof.origin == Self.origin)
            for token in ["two", nil] { #expect(Self.failure(text, token: token)?.reason == .proofMismatch) }
        }
        let other = try device.proof("POST", Self.path, at: Self.now)
        #expect(Self.failure(other) == nil)
        #expect(Self.failure(other, token: "one")?.reason == .proofMismatch)
    }

    @Test(
        "SES-10: a proof's URL is compared in its normal form, without a query (RFC 9449 section 4.3)",
        arguments: [
            "HTTPS://Login.Example.com/v1/apps/game/login", "https://login.example.com:443/v1/apps/game/login",
            "https://login.example.com./v1/apps/game/login", "https://login.example.com/v1/apps/game/login?a=b",
            "https://login.example.com/v1/apps/game/login#top", "https://login.example.com/v1/apps/%67ame/login",
            "https://login.example.com/v1/apps/x/../game/./login",
        ])
    func spelledURL(url: String) throws {
        let text = try Device().proof("POST", Self.path, at: Self.now, claims: ["htu": .string(url)])
        let target = ProofTarget(method: "POST", path: Self.path, token: nil)
        #expect(try Self.verifier.verify(text, for: target, at: Self.now).origin == Self.origin)
    }

    @Test("SES-10: what players send and what the operator has set may be spelled in different ways")
    func spelledOrigins() throws {
        let set = try #require(PublicOrigins(["HTTPS://Login.Example.com.:443/", "https://로그인.example.com"]))
        let target = ProofTarget(method: "POST", path: Self.path, token: nil)
        for (url, origins, origin) in [
            ("https://login.example.com", set, "https://login.example.com"),
            ("https://xn--2i0b10rutm.example.com", set, "https://xn--2i0b10rutm.example.com"),
            ("http://LocalHost:8081", .loopback, "http://localhost:8081"),
            ("http://[::1]:80", .loopback, "http://[::1]"),
        ] as [(String, PublicOrigins, String)] {
            let text = try Device().proof("POST", Self.path, at: Self.now, claims: ["htu": .string(url + Self.path)])
            #expect(try ProofVerifier(origins: origins).verify(text, for: target, at: Self.now).origin == origin)
        }
        #expect(set.origin("null") == nil && set.origin("https://evil.example") == nil)
        #expect(PublicOrigins.loopback.origin("http://localhost.evil.example") == nil)
    }

    @Test(
        "A public URL that can't be meant is none",
        arguments: [
            [], ["https://login.example.com/game"], ["https://kim@login.example.com"], ["ftp://login.example.com"],
            ["https://login.example.com", "login.example.com"],
        ])
    func noOrigins(texts: [String]) {
        #expect(PublicOrigins(texts) == nil)
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
        let verifier = ProofVerifier(origins: try #require(PublicOrigins(["https://server.example.com"])))
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
