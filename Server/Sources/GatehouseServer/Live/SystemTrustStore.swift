import GatehousePlatform
import SwiftASN1
import Synchronization
import X509

/// The authorities that the system trusts, as its package of certificates keeps them.
enum SystemTrustStore {
    /// Debian, Ubuntu and Alpine; Fedora; macOS.
    private static let paths = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]
    private static let loaded = Mutex<CertificateStore?>(nil)

    /// Nil where there are none. Then the next call looks for them again: the package may be installed while the server runs.
    @Sendable static func certificates() -> CertificateStore? {
        loaded.withLock { loaded in
            if loaded == nil { loaded = read(paths) }
            return loaded
        }
    }

    /// The certificates of the first file that has any. One that can't be read is left out, and takes no other with it.
    static func read(_ paths: [String]) -> CertificateStore? {
        for path in paths {
            guard let data = FileManager.default.contents(atPath: path),
                let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: data, as: UTF8.self))
            else { continue }
            let certificates = documents.compactMap { try? Certificate(pemDocument: $0) }
            if !certificates.isEmpty { return CertificateStore(certificates) }
        }
        return nil
    }
}
