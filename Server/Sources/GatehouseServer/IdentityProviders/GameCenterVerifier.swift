import Crypto
import CryptoExtras
import Foundation
import GatehouseWire
import X509

/// Verifies a proof that Game Center has signed (`fetchItems(forIdentityVerificationSignature:)`, WWDC 2019 session 615).
struct GameCenterVerifier: Sendable {
    /// How long a proof is valid after it was signed, and how far the player's clock may be ahead.
    static let pastSeconds: Int64 = 600
    static let futureSeconds: Int64 = 120
    /// The only addresses of the signers' certificates.
    static let productionURL = "https://static.gc.apple.com/public-key/"
    static let sandboxURL = "https://sandbox.gc.apple.com/public-key/"

    let client: ProviderClient
    let certificates: CachedDocuments<Certificate>
    /// The authorities that the machine trusts.
    let authorities: CertificateStore

    /// - Throws: ``IdentityFailure``.
    func verify(_ proof: GameCenterProof, at moment: Moment) async throws -> (subject: String, claim: CredentialClaim) {
        guard client.clientIds.contains(proof.bundleId) else { throw IdentityFailure.audienceMismatch }
        try checkPlayer(proof)
        guard let signature = Data(base64Encoded: proof.signature), (128...1_024).contains(signature.count),
            let salt = Data(base64Encoded: proof.salt), (1...64).contains(salt.count)
        else { throw IdentityFailure.rejected("its signature or salt is no base64") }
        guard proof.timestamp <= UInt64(Int64.max) else { throw IdentityFailure.rejected("its time is no time") }
        let signed = Moment(milliseconds: Int64(proof.timestamp))
        guard moment < signed.adding(seconds: Self.pastSeconds) else { throw IdentityFailure.expired }
        guard signed <= moment.adding(seconds: Self.futureSeconds) else {
            throw IdentityFailure.rejected("it was signed in the future")
        }
        let certificate = try await certificates.document(
            at: try place(of: proof.publicKeyUrl), of: client.share)
        try await GameCenterChain(client: client, certificates: certificates, authorities: authorities)
            .check(certificate, at: moment)
        guard let key = _RSA.Signing.PublicKey(certificate.publicKey),
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: Self.payload(proof, salt: salt),
                padding: .insecurePKCS1v1_5)
        else { throw IdentityFailure.rejected("its signature does not verify") }
        return (
            proof.playerId,
            .token(hash: Array(SHA256.hash(data: signature)), until: signed.adding(seconds: Self.pastSeconds))
        )
    }

    /// Signatures of old and new ids look alike, so the id's form determines its kind. A game accepts only one kind.
    private func checkPlayer(_ proof: GameCenterProof) throws {
        let kind = client.configuration.gameCenterKind.map { GameCenterProof.Kind($0) } ?? .team
        let prefix = kind == .game ? "A:" : "T:"
        guard proof.kind == kind, proof.playerId.hasPrefix(prefix), (4...128).contains(proof.playerId.utf8.count),
            proof.playerId.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw IdentityFailure.rejected("it is not about the \(kind)'s id of a player") }
    }

    /// The address of the certificate. The text itself is compared, because URL parsers may interpret it differently.
    private func place(of url: String) throws -> String {
        var bases = [Self.productionURL]
        if client.configuration.acceptsSandbox ?? false { bases.append(Self.sandboxURL) }
        for base in bases where url.hasPrefix(base) {
            let name = url.dropFirst(base.count)
            let letters = name.dropLast(4).utf8
            guard name.hasSuffix(".cer"), (1...64).contains(letters.count),
                letters.allSatisfy({ byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x2d
                })
            else { break }
            return client.values.place(url)
        }
        throw IdentityFailure.rejected("its certificate is not one of Game Center's")
    }

    private static func payload(_ proof: GameCenterProof, salt: Data) -> Data {
        var payload = Data(proof.playerId.utf8)
        payload.append(contentsOf: proof.bundleId.utf8)
        withUnsafeBytes(of: proof.timestamp.bigEndian) { payload.append(contentsOf: $0) }
        payload.append(salt)
        return payload
    }
}
