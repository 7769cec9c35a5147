import Crypto
import Foundation
import GatehouseSecurity
import GatehouseWire
import Testing

/// `docs/proof-vectors.json`: good and bad proofs with what the server says of each, for those who write a client.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=ProofVectorTests` signs them again, by the key in the file.
@Suite struct ProofVectorTests {
    struct File: Codable {
        /// The private key of the good proofs, as a JWK.
        var key: [String: String]
        /// The key's thumbprint (RFC 7638).
        var thumbprint: String
        var method: String
        var url: String
        /// The server's time, in milliseconds since 1970.
        var serverDate: Int64
        var vectors: [Vector]
    }

    struct Vector: Codable {
        var name: String
        /// The token that is sent with the proof.
        var token: String?
        var proof: String
        /// `details.reason` of the refusal; absent for a good proof.
        var refused: String?
    }

    private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/proof-vectors.json").standardizedFileURL

    /// The good proofs: for no token and for one, at both ends of the time that counts, and with a URL that is spelled differently.
    private static func good(_ device: ProofTests.Device) throws -> [Vector] {
        let (path, now) = (ProofTests.path, ProofTests.now)
        return [
            Vector(name: "without a token", proof: try device.proof("POST", path, at: now)),
            Vector(
                name: "with a token", token: "a-token",
                proof: try device.proof("POST", path, token: "a-token", at: now)),
            Vector(
                name: "issued 60 seconds ago", proof: try device.proof("POST", path, at: now.adding(seconds: -60))),
            Vector(name: "issued in 30 seconds", proof: try device.proof("POST", path, at: now.adding(seconds: 30))),
            Vector(
                name: "capitals of the host, its port, and a query",
                proof: try device.proof(
                    "POST", path, at: now, claims: ["htu": .string("HTTPS://Login.Example.com:443\(path)?a=b")])),
        ]
    }

    private static func signed(by key: P256.Signing.PrivateKey) throws -> File {
        let device = ProofTests.Device(key: key)
        let bad = try ProofTests.WrongProof.all.map { wrong in
            Vector(
                name: wrong.name, proof: try wrong.make(device, ProofTests.path, ProofTests.now),
                refused: wrong.reason.rawValue)
        }
        return File(
            key: [
                "kty": "EC", "crv": "P-256", "x": device.jwk.x, "y": device.jwk.y,
                "d": Base64URL.encode(key.rawRepresentation),
            ],
            thumbprint: ProofVerifier.thumbprint(device.jwk).rawValue, method: "POST",
            url: ProofTests.origin + ProofTests.path, serverDate: ProofTests.now.milliseconds,
            vectors: try good(device) + bad)
    }

    @Test("SES-10: the server says of each proof of docs/proof-vectors.json what the file says")
    func vectors() throws {
        let stored = try? JSONDecoder().decode(File.self, from: Data(contentsOf: Self.url))
        let secret = stored?.key["d"].flatMap { Base64URL.decode($0) }
        let key = try secret.map { try P256.Signing.PrivateKey(rawRepresentation: $0) } ?? P256.Signing.PrivateKey()
        let expected = try Self.signed(by: key)
        if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] != nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try (encoder.encode(expected) + Data("\n".utf8)).write(to: Self.url)
        }
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: Self.url))
        #expect(file.vectors.map(\.name) == expected.vectors.map(\.name))
        #expect(file.vectors.count >= 40)
        #expect((file.key, file.thumbprint, file.url) == (expected.key, expected.thumbprint, expected.url))
        for vector in file.vectors {
            let target = ProofTarget(method: file.method, path: ProofTests.path, token: vector.token)
            do {
                let moment = Moment(milliseconds: file.serverDate)
                let proof = try ProofTests.verifier.verify(vector.proof, for: target, at: moment)
                #expect(vector.refused == nil, "\(vector.name)")
                #expect(proof.key.rawValue == file.thumbprint)
            } catch {
                #expect(vector.refused == error.reason.rawValue, "\(vector.name)")
            }
        }
    }
}
