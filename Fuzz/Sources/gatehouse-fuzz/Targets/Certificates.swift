import CryptoExtras
import SwiftASN1
import X509

extension Target {
    /// What is served for Game Center's certificate (DER), and what an operator enters (PEM): read as `GameCenterVerifier` does.
    /// The library that reads them is built without the fuzzer: its inputs are mutations that no coverage guides.
    static let certificate = Target(name: "certificate", maximumLength: 16_384) { input in
        if let certificate = try? Certificate(derEncoded: input) { read(certificate) }
        if let certificate = try? Certificate(pemEncoded: String(decoding: input, as: UTF8.self)) { read(certificate) }
    }

    private static func read(_ certificate: Certificate) {
        _ = try? certificate.extensions.extendedKeyUsage
        _ = _RSA.Signing.PublicKey(certificate.publicKey)
        _ = certificate.issuer == certificate.subject
        _ = CertificateStore([certificate])
    }
}
