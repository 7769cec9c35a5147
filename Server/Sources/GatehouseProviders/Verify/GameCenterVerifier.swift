import Crypto
import CryptoExtras
package import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire
import SwiftASN1
@_spi(FixedExpiryValidationTime) package import X509

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

/// Verifies that a certificate belongs to a Game Center signer: it must name Apple, permit code signing, and have a chain to a trusted
/// authority. The intermediate certificates are fetched from the address in the certificate below (RFC 5280 section 4.2.2.1).
package struct GameCenterChain: Sendable {
    /// The only hosts from which issuers' certificates are fetched: the authority of Apple's present signers, and Apple's own.
    package static let issuerHosts = ["cacerts.digicert.com", "certs.apple.com"]
    /// The maximum number of certificates between a signer and its root.
    package static let maximumIssuers = 3
    /// The maximum size of a certificate; real ones have about two thousand bytes.
    package static let maximumBytes = 16_384
    package static let organization = "Apple Inc."

    package let client: ProviderClient
    package let certificates: CachedDocuments<Certificate>
    /// The machine's trust store, or nil if it has none.
    package let authorities: @Sendable () -> CertificateStore?

    /// What an operator has to do about it.
    package static let noTrustStore = "this system has no trust store: install ca-certificates"

    /// - Throws: ``IdentityFailure``.
    package func check(_ leaf: Certificate, at moment: Moment) async throws {
        guard (try? leaf.extensions.extendedKeyUsage)?.contains(.codeSigning) ?? false else {
            throw IdentityFailure.rejected("its certificate is not for signing")
        }
        guard Self.isApples(leaf) else { throw IdentityFailure.rejected("its certificate is not Apple's") }
        let time = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
        let (roots, named) = try trusted()
        // What is known of the way up is tried at once: with each proof but the first that is all of it.
        let known = await knownIssuers(of: leaf)
        var issuers = named + known
        var last = known.last ?? leaf
        var findings: [VerificationDiagnostic] = []
        for step in known.count...Self.maximumIssuers {
            var verifier = Verifier(rootCertificates: roots) { RFC5280Policy(fixedExpiryValidationTime: time) }
            findings = []
            let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(issuers)) {
                findings.append($0)
            }
            if case .validCertificate = result { return }
            guard step < Self.maximumIssuers, let url = issuerPlace(of: last) else { break }
            last = try await certificates.document(request(for: last, at: url))
            issuers.append(last)
        }
        note(findings)
        noteStrangePlaces(of: last)
        throw IdentityFailure.rejected("its certificate is not trusted")
    }

    /// The operator's own certificates stand in the machine's place, for tests and development.
    private func trusted() throws -> (roots: CertificateStore, issuers: [Certificate]) {
        guard let configured = client.configuration.gameCenter?.trustedCertificates else {
            guard let authorities = authorities() else { throw IdentityFailure.misconfigured(Self.noTrustStore) }
            return (authorities, [])
        }
        let own = configured.compactMap { Self.certificate(pem: $0) }
        return (
            CertificateStore(own.filter { $0.issuer == $0.subject }), own.filter { $0.issuer != $0.subject }
        )
    }

    /// The certificates above one, as far as they have been fetched.
    private func knownIssuers(of certificate: Certificate) async -> [Certificate] {
        var issuers: [Certificate] = []
        while issuers.count < Self.maximumIssuers {
            let last = issuers.last ?? certificate
            guard let url = issuerPlace(of: last), let known = await certificates.known(request(for: last, at: url))
            else { break }
            issuers.append(known)
        }
        return issuers
    }

    /// An issuer that is not what it should be takes the place of no good one.
    private func request(for certificate: Certificate, at url: String) -> CachedDocuments<Certificate>.Request {
        var request = CachedDocuments<Certificate>.Request(url: client.values.place(url), share: client.share)
        let name = certificate.issuer
        request.owner = "\(name)"
        request.check = { found throws(IdentityFailure) in
            guard found.subject == name else { throw IdentityFailure.unavailable }
        }
        return request
    }

    /// The address of the issuer's certificate. Authorities write `http`, because the content is signed. They also serve https, which
    /// is the only scheme that this server uses.
    private func issuerPlace(of certificate: Certificate) -> String? {
        issuerPlaces(of: certificate).lazy.compactMap { Self.issuerURL($0) }.first
    }

    private func issuerPlaces(of certificate: Certificate) -> [String] {
        guard let places = try? certificate.extensions.authorityInformationAccess else { return [] }
        return places.compactMap { place in
            guard place.method == .issuingCA, case .uniformResourceIdentifier(let text) = place.location else {
                return nil
            }
            return text
        }
    }

    /// Tells operators why a chain is not trusted. The signature has been looked at: it is no stranger's certificate, and what is
    /// wrong with it is seldom the player's.
    private func note(_ findings: [VerificationDiagnostic]) {
        // The last says only that it was in vain.
        let told = findings.count > 1 ? findings.dropLast() : findings[...]
        let why = told.suffix(2).map { "\($0)" }.joined(separator: " ")
        client.gateway.note(
            "a signer's certificate is not trusted: \(VisibleText.escaping(String(why.prefix(1_000))))",
            at: GameCenterVerifier.productionURL, of: client.share)
    }

    /// Tells operators of a place that is not asked: Apple may have gone to another authority.
    private func noteStrangePlaces(of certificate: Certificate) {
        for text in issuerPlaces(of: certificate) where Self.issuerURL(text) == nil {
            client.gateway.note(
                "a certificate names its issuer at a place that is not asked", at: String(text.prefix(200)),
                of: client.share)
        }
    }

    /// Accepts only a URL at exactly one of these hosts. The text itself is compared, because URL parsers may interpret it differently.
    package static func issuerURL(_ text: String) -> String? {
        for host in issuerHosts {
            for scheme in ["http://", "https://"] where text.begins(with: "\(scheme)\(host)/") {
                let path = text.dropFirst(scheme.count + host.count + 1).utf8
                guard (1...128).contains(path.count), path.first != 0x2e,
                    path.allSatisfy({ byte in
                        ASCII.isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                            || byte == UInt8(ascii: "_")
                    })
                else { return nil }
                return "https://\(host)/\(String(decoding: Array(path), as: UTF8.self))"
            }
        }
        return nil
    }

    private static func isApples(_ certificate: Certificate) -> Bool {
        certificate.subject.contains { name in
            name.contains { part in
                part.type == .RDNAttributeType.organizationName && String(part.value) == organization
            }
        }
    }

    package static func certificate(pem: String) -> Certificate? {
        try? Certificate(pemEncoded: pem)
    }

    /// Parses DER, the format that Apple and the authorities serve.
    package static func certificate(_ body: Data) -> Certificate? {
        guard body.count <= maximumBytes else { return nil }
        return try? Certificate(derEncoded: Array(body))
    }
}
