import CryptoExtras
import SwiftASN1
import X509

extension Target {
    /// Game Center's certificates as served (DER) and as an operator enters them (PEM), parsed as `GameCenterVerifier` does. The
    /// library that parses them is built without the fuzzer, so its inputs are mutations without guidance by coverage.
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
