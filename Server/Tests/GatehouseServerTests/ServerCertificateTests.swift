import Foundation
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct ServerCertificateTests {
    @Test("NET-3: a certificate is taken anew once when its files have changed, whoever has changed them")
    func renewal() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("EndToEndTests/TLS")
        func install(_ fixture: String, as name: String) throws {
            try Data(contentsOf: fixtures.appendingPathComponent(fixture)).write(
                to: folder.appendingPathComponent(name))
        }
        try install("certificate.pem", as: "chain.pem")
        try install("key.pem", as: "key.pem")
        let certificate = try ServerCertificate(
            .init(
                certificateChain: folder.appendingPathComponent("chain.pem").path,
                privateKey: folder.appendingPathComponent("key.pem").path))
        #expect(try !certificate.renew())
        // The same bytes with a new date are not a renewal.
        try install("certificate.pem", as: "chain.pem")
        #expect(try !certificate.renew())
        try install("renewed-certificate.pem", as: "chain.pem")
        #expect(throws: (any Error).self) { try certificate.renew() }
        #expect(certificate.current.number == 1)
        try install("renewed-key.pem", as: "key.pem")
        #expect(try certificate.renew())
        #expect(try !certificate.renew())
        #expect(certificate.current.number == 2)
        try Data().write(to: folder.appendingPathComponent("chain.pem"))
        #expect(throws: (any Error).self) { try certificate.renew() }
        #expect(certificate.current.number == 2)
    }
}
