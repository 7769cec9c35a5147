import Crypto
public import GatehousePlatform
import SwiftASN1
import X509

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
