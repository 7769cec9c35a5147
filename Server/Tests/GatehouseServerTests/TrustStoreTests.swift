import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import GatehouseServer

/// The authorities that the machine trusts.
@Suite struct TrustStoreTests {
    @Test("IDP-11: of a trust store all that can be read counts, and one without a certificate is none")
    func trustStores() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let path = folder.appendingPathComponent(name).path
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }
        let absent = folder.appendingPathComponent("absent").path
        let empty = try file("empty", "")
        let broken = try file("broken", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        for paths in [[], [absent], [empty], [broken], [absent, empty, broken]] {
            #expect(SystemTrustStore.read(paths) == nil, "\(paths)")
        }
        let root = FakeProviders(
            origin: "http://127.0.0.1:1", key: TestServer.providerKey,
            nowSeconds: { TestServer.Clock.start.milliseconds / 1_000 }
        ).gameCenterRoot
        let odd = try file("odd", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n\(root)\n")
        let store = try #require(SystemTrustStore.read([absent, empty, odd]))
        let certificate = try Certificate(pemEncoded: root)
        var verifier = Verifier(rootCertificates: store) {
            RFC5280Policy(
                fixedExpiryValidationTime: Date(
                    timeIntervalSince1970: Double(TestServer.Clock.start.milliseconds) / 1_000))
        }
        let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore())
        guard case .validCertificate = result else {
            Issue.record("\(result)")
            return
        }
    }

    private static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    @Test(
        "IDP-11: the live environment trusts what the machine trusts, and nobody else",
        .enabled(if: FileManager.default.fileExists(atPath: systemBundle)))
    func liveAuthorities() async throws {
        let end = "-----END CERTIFICATE-----"
        let bundle = try String(contentsOfFile: Self.systemBundle, encoding: .utf8)
        // Every certificate must be readable, because one that is not would make the whole list empty.
        let certificates = try bundle.components(separatedBy: end).dropLast().map {
            try #require(
                GameCenterChain.certificate(pem: $0.trimmingCharacters(in: .whitespacesAndNewlines) + "\n" + end))
        }
        let now = Date(timeIntervalSince1970: Double(TestServer.Clock.start.milliseconds) / 1_000)
        let valid = try #require(
            certificates.first { $0.notValidBefore < now && now < $0.notValidAfter && $0.subject == $0.issuer })
        let stranger = try #require(
            GameCenterChain.certificate(
                pem: FakeProviders(
                    origin: "http://127.0.0.1:1", key: try FakeSigningKey(),
                    nowSeconds: { TestServer.Clock.start.milliseconds / 1_000 }
                ).gameCenterRoot))
        for (certificate, isTrusted) in [(valid, true), (stranger, false)] {
            var verifier = Verifier(rootCertificates: try #require(ServerEnvironment.live.authorities())) {
                RFC5280Policy(fixedExpiryValidationTime: now)
            }
            let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore())
            guard case .validCertificate = result else {
                #expect(!isTrusted, "\(certificate.subject): \(result)")
                continue
            }
            #expect(isTrusted)
        }
    }
}
