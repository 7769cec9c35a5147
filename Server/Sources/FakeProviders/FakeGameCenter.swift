import Crypto
import CryptoExtras
import Foundation
public import GatehouseWire
import SwiftASN1
import X509

/// Game Center: a root, a signer's certificate, and proofs of players.
struct FakeGameCenter: Sendable {
    static let certificatePath = "static.gc.apple.com/public-key/gc-fake-1.cer"

    /// PEM.
    let root: String
    /// DER.
    let certificate: Data
    private let key: FakeSigningKey

    init(key: FakeSigningKey, at seconds: Int64) {
        self.key = key
        let made = try? Self.certificates(key: key, at: seconds)
        root = made?.root ?? ""
        certificate = made?.signer ?? Data()
    }

    static func certificates(
        key: FakeSigningKey, at seconds: Int64, isForSigning: Bool = true
    ) throws -> (root: String, signer: Data) {
        let begin = Date(timeIntervalSince1970: Double(seconds - 86_400))
        let end = begin.addingTimeInterval(10 * 365 * 86_400)
        let rootKey = P256.Signing.PrivateKey()
        let rootName = try DistinguishedName { CommonName("Fake Code Signing Root") }
        let root = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(rootKey.publicKey), notValidBefore: begin,
            notValidAfter: end, issuer: rootName, subject: rootName, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: .init(rootKey))
        let signer = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.certificateKey, notValidBefore: begin,
            notValidAfter: end, issuer: rootName, subject: try DistinguishedName { CommonName("Fake Game Center") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([isForSigning ? .codeSigning : .serverAuth])
            }, issuerPrivateKey: .init(rootKey))
        var serializer = DER.Serializer()
        try serializer.serialize(signer)
        return (try root.serializeAsPEM().pemString, Data(serializer.serializedBytes))
    }

    func proof(
        for player: String, at seconds: Int64, bundleID: String = "gatehouse-iosgamecenter", kind: String = "team"
    ) throws -> GameCenterProof {
        let salt = Data(FakeJWS.nonce().utf8.prefix(16))
        let id = kind == "team" ? "T:_\(player)" : "A:_\(player)"
        let timestamp = UInt64(max(0, seconds)) * 1_000
        var payload = Data(id.utf8) + Data(bundleID.utf8)
        withUnsafeBytes(of: timestamp.bigEndian) { payload.append(contentsOf: $0) }
        payload.append(salt)
        let signature = try key.sign(payload)
        return GameCenterProof(
            publicKeyUrl: "https://\(Self.certificatePath)", signature: signature.base64EncodedString(),
            salt: salt.base64EncodedString(), timestamp: timestamp, playerId: id,
            kind: GameCenterProof.Kind(kind), bundleId: bundleID)
    }
}

extension FakeProviders {
    /// A proof of Game Center's for a player.
    public func gameCenterProof(
        for player: String, bundleID: String = "gatehouse-iosgamecenter", kind: String = "team",
        secondsAgo: Int64 = 0
    ) throws -> GameCenterProof {
        try gameCenter.proof(for: player, at: nowSeconds() - secondsAgo, bundleID: bundleID, kind: kind)
    }

    /// A root that trusts somebody else, as PEM.
    public func strangersRoot(isForSigning: Bool = true) throws -> String {
        try FakeGameCenter.certificates(key: key, at: nowSeconds(), isForSigning: isForSigning).root
    }
}
