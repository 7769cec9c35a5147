import Crypto
import CryptoExtras
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire
package import X509

/// Verifies a proof that Game Center has signed (`fetchItems(forIdentityVerificationSignature:)`, WWDC 2019 session 615).
package struct GameCenterVerifier: Sendable {
    /// How long a proof is valid after it was signed, and how far the player's clock may be ahead.
    package static let pastSeconds: Int64 = 600
    package static let futureSeconds: Int64 = 120
    /// The only addresses of the signers' certificates.
    package static let productionURL = "https://static.gc.apple.com/public-key/"
    package static let sandboxURL = "https://sandbox.gc.apple.com/public-key/"
    /// What their names begin and end with; a number of one to four digits is in between.
    private static let prefixes = ["gc-prod-", "gc-sb-"]
    private static let suffix = ".cer"

    package let client: ProviderClient
    package let certificates: CachedDocuments<Certificate>
    /// The machine's trust store.
    package let authorities: @Sendable () -> CertificateStore?

    /// - Throws: ``IdentityFailure``.
    package func verify(_ proof: GameCenterProof, at moment: Moment) async throws -> (
        subject: String, claim: CredentialClaim
    ) {
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
        var request = CachedDocuments<Certificate>.Request(
            url: try place(of: proof.publicKeyUrl), share: client.share)
        request.refusal = "Game Center has no such certificate"
        let certificate = try await certificates.document(request)
        // The cheaper look comes first, and a stranger's proof ends here: the chain of certificates is long.
        guard let key = _RSA.Signing.PublicKey(certificate.publicKey),
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: Self.payload(proof, salt: salt),
                padding: .insecurePKCS1v1_5)
        else { throw IdentityFailure.rejected("its signature does not verify") }
        try await GameCenterChain(client: client, certificates: certificates, authorities: authorities)
            .check(certificate, at: moment)
        return (
            proof.playerId,
            .token(hash: Array(SHA256.hash(data: signature)), until: signed.adding(seconds: Self.pastSeconds))
        )
    }

    /// Signatures of old and new ids look alike, so the id's form determines its kind. A game accepts only one kind.
    private func checkPlayer(_ proof: GameCenterProof) throws {
        let kind = client.configuration.gameCenter?.playerIds.map { GameCenterProof.Kind($0) } ?? .team
        let prefix = kind == .game ? "A:" : "T:"
        guard proof.kind == kind, proof.playerId.begins(with: prefix), (4...128).contains(proof.playerId.utf8.count),
            proof.playerId.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw IdentityFailure.rejected("it is not about the \(kind)'s id of a player") }
    }

    /// The certificate's place, letter for letter: what a URL parser makes of it plays no part. Apple numbers its certificates,
    /// as in `gc-prod-10.cer`; any other name would have the server look for what a stranger thinks of.
    private func place(of url: String) throws -> String {
        var bases = [Self.productionURL]
        if client.configuration.gameCenter?.acceptsSandbox ?? false { bases.append(Self.sandboxURL) }
        for base in bases where url.begins(with: base) && Self.isName(url.dropFirst(base.count)) {
            return client.values.place(url)
        }
        throw IdentityFailure.rejected("its certificate is not one of Game Center's")
    }

    private static func isName(_ name: Substring) -> Bool {
        guard name.ends(with: suffix) else { return false }
        return prefixes.contains { prefix in
            let digits = name.dropLast(suffix.count).dropFirst(prefix.count).utf8
            return name.begins(with: prefix) && (1...4).contains(digits.count)
                && digits.allSatisfy(ASCII.isDigit)
        }
    }

    private static func payload(_ proof: GameCenterProof, salt: Data) -> Data {
        var payload = Data(proof.playerId.utf8)
        payload.append(contentsOf: proof.bundleId.utf8)
        withUnsafeBytes(of: proof.timestamp.bigEndian) { payload.append(contentsOf: $0) }
        payload.append(salt)
        return payload
    }
}
