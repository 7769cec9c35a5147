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

    /// The content of a certificate's file and of a key's file: nil for a file that is not there.
    private enum Content: Sendable {
        case fixture(String)
        case marked(String)
        case text(String)
        case folder
        case missing
    }

    @Test("What is wrong with a TLS file is said in one line with the setting and the file")
    func wrongFiles() throws {
        let (chain, key) = (Content.fixture("certificate.pem"), Content.fixture("key.pem"))
        let sealed = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n"
        let sealedFormerly = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\n"
        let cases: [(Content, Content, [String])] = [
            (.missing, key, ["setting tls-certificate", "chain.pem", "No such file or directory"]),
            (chain, .missing, ["setting tls-key", "key.pem", "No such file or directory"]),
            (.folder, key, ["setting tls-certificate", "chain.pem", "Is a directory"]),
            (chain, .folder, ["setting tls-key", "key.pem", "Is a directory"]),
            (key, chain, ["setting tls-certificate", "chain.pem", "swapped"]),
            (chain, chain, ["setting tls-key", "key.pem", "swapped"]),
            (chain, .fixture("renewed-key.pem"), ["tls-certificate and tls-key do not fit", "chain.pem", "key.pem"]),
            (chain, .text(sealed), ["setting tls-key", "key.pem", "passphrase"]),
            (chain, .text(sealedFormerly), ["setting tls-key", "key.pem", "passphrase"]),
            (.text(""), key, ["setting tls-certificate", "chain.pem", "no certificate in PEM form"]),
            (chain, .text(""), ["setting tls-key", "key.pem", "no private key in PEM form"]),
            (.text("-----BEGIN CERTIFICATE-----\nMIIB"), key, ["setting tls-certificate", "chain.pem", "cut off"]),
            (chain, .text("-----BEGIN PRIVATE KEY-----\nMIIB"), ["setting tls-key", "key.pem", "cut off"]),
        ]
        for (chain, key, words) in cases {
            let said = try #require(try refusal(chain, key), "\(words)")
            for word in words { #expect(said.contains(word), "\(said)") }
            #expect(!said.contains("\n"))
        }
        // What an editor of Windows puts before the first line is no part of it.
        #expect(try refusal(.marked("certificate.pem"), .marked("key.pem")) == nil)
    }

    /// What is said about files that are refused; nil if they are not.
    private func refusal(_ chain: Content, _ key: Content) throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("EndToEndTests/TLS")
        let files = (folder.appendingPathComponent("chain.pem"), folder.appendingPathComponent("key.pem"))
        for (content, file) in [(chain, files.0), (key, files.1)] {
            switch content {
            case .fixture(let name): try Data(contentsOf: fixtures.appendingPathComponent(name)).write(to: file)
            case .marked(let name):
                let fixture = try Data(contentsOf: fixtures.appendingPathComponent(name))
                try (Data("\u{feff}".utf8) + fixture).write(to: file)
            case .text(let text): try Data(text.utf8).write(to: file)
            case .folder: try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            case .missing: break
            }
        }
        do {
            try ServerConfiguration.TLSFiles(certificateChain: files.0.path, privateKey: files.1.path).check()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
