import Crypto
public import GatehousePlatform
public import GatehouseWire
import SwiftASN1
import Synchronization
public import X509

/// A fake Game Center: a root, an intermediate authority, the signer's certificate, and proofs of players.
struct FakeGameCenter: Sendable {
    static let certificatePath = "static.gc.apple.com/public-key/gc-prod-1.cer"
    static let issuerPath = "cacerts.digicert.com/FakeCodeSigningCA.crt"

    /// PEM.
    let root: String
    let chain: FakeCertificates?
    private let key: FakeSigningKey

    init(key: FakeSigningKey, at seconds: Int64) {
        self.key = key
        chain = try? FakeCertificates(key: key, at: seconds)
        root = chain?.root ?? ""
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
    /// A Game Center proof for a player.
    public func gameCenterProof(
        for player: String, bundleID: String = "gatehouse-iosgamecenter", kind: String = "team",
        secondsAgo: Int64 = 0
    ) throws -> GameCenterProof {
        try gameCenter.proof(for: player, at: nowSeconds() - secondsAgo, bundleID: bundleID, kind: kind)
    }

    /// Certificates for the key of Game Center's signer, optionally with a fault.
    public func gameCenterCertificates(
        organization: String = "Apple Inc.", isForSigning: Bool = true,
        issuer: String = "http://cacerts.digicert.com/FakeCodeSigningCA.crt", endsAfterSeconds: Int64 = 315_360_000
    ) throws -> FakeCertificates {
        try FakeCertificates(
            key: key, at: nowSeconds(), organization: organization, isForSigning: isForSigning, issuer: issuer,
            endsAfterSeconds: endsAfterSeconds)
    }

    /// Replaces the certificates that Game Center and its authority publish; nil restores the original ones.
    public func setGameCenterCertificates(_ certificates: FakeCertificates?) {
        state.withLock { $0.gameCenter = certificates }
    }

    /// The published certificates.
    public var gameCenterCertificates: FakeCertificates? { state.withLock { $0.gameCenter } ?? gameCenter.chain }

    /// A trust store with Game Center's root.
    public func gameCenterAuthorities() throws -> CertificateStore {
        CertificateStore([try Certificate(pemEncoded: gameCenter.root)])
    }

    /// A root that Game Center's chain does not lead to, as PEM.
    public func strangersRoot() throws -> String { try gameCenterCertificates().root }
}

/// The certificates of Game Center's chain: a root, an intermediate authority that it has signed, and a signer.
public struct FakeCertificates: Sendable, Hashable {
    /// PEM.
    public let root: String
    /// DER.
    public var issuer: Data
    /// DER.
    public var signer: Data

    init(
        key: FakeSigningKey, at seconds: Int64, organization: String = "Apple Inc.", isForSigning: Bool = true,
        issuer place: String = "http://\(FakeGameCenter.issuerPath)", endsAfterSeconds: Int64 = 315_360_000
    ) throws {
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
        let issuerKey = P256.Signing.PrivateKey()
        let issuerName = try DistinguishedName {
            OrganizationName("Fake Authority")
            CommonName("Fake Code Signing CA")
        }
        let issuer = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(issuerKey.publicKey), notValidBefore: begin,
            notValidAfter: end, issuer: rootName, subject: issuerName, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: .init(rootKey))
        let signer = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.certificateKey, notValidBefore: begin,
            notValidAfter: Date(timeIntervalSince1970: Double(seconds + endsAfterSeconds)), issuer: issuerName,
            subject: try DistinguishedName {
                OrganizationName(organization)
                CommonName("Fake Game Center")
            }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([isForSigning ? .codeSigning : .serverAuth])
                AuthorityInformationAccess([.init(method: .issuingCA, location: .uniformResourceIdentifier(place))])
            }, issuerPrivateKey: .init(issuerKey))
        self.root = try root.serializeAsPEM().pemString
        self.issuer = try Self.der(issuer)
        self.signer = try Self.der(signer)
    }

    private static func der(_ certificate: Certificate) throws -> Data {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Data(serializer.serializedBytes)
    }
}
