import GatehousePlatform
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
