import GatehousePlatform
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The certificate for new connections, and the files that contain it. Changed files are loaded while the server runs, so that a
/// short-lived certificate needs no restart. Files that can't be loaded change nothing.
final class ServerCertificate: Sendable {
    /// The interval between two checks of the files.
    static let intervalSeconds: Int64 = 60

    private struct Present {
        let chain: [UInt8]
        let key: [UInt8]
        let configuration: TLSConfiguration
        /// The sequence number of this certificate.
        let number: Int
    }

    private let files: ServerConfiguration.TLSFiles
    private let present: Mutex<Present>

    init(_ files: ServerConfiguration.TLSFiles) throws {
        self.files = files
        present = Mutex(try Self.load(files, number: 1))
    }

    /// The TLS settings of new connections, and the number of their certificate.
    var current: (configuration: TLSConfiguration, number: Int) {
        present.withLock { ($0.configuration, $0.number) }
    }

    /// Loads the files if they have changed; returns false if they have not. Every check compares their bytes: if one of the two files
    /// is written before the other, the next check finds both.
    ///
    /// - Throws: when they are not a certificate with its key. The current certificate stays.
    func renew() throws -> Bool {
        try present.withLock { present in
            let next = try Self.load(files, number: present.number + 1)
            guard next.chain != present.chain || next.key != present.key else { return false }
            present = next
            return true
        }
    }

    /// Loads the files if they have changed, and logs the result.
    func renew(telling logger: Logger) {
        do {
            guard try renew() else { return }
            logger.notice(
                "the TLS certificate is renewed", metadata: ["file": .string(files.certificateChain)])
        } catch {
            logger.error(
                "the TLS certificate can't be renewed: new connections get the one from before",
                metadata: [
                    "certificate": .string(files.certificateChain), "key": .string(files.privateKey),
                    "error": "\(error)",
                ])
        }
    }

    private static func load(_ files: ServerConfiguration.TLSFiles, number: Int) throws -> Present {
        let chain = try PEMFile("tls-certificate", files.certificateChain)
        let key = try PEMFile("tls-key", files.privateKey)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.certificates().map { .certificate($0) },
            privateKey: .privateKey(try key.privateKey()))
        configuration.minimumTLSVersion = .tlsv12
        do {
            // This fails if the key belongs to another certificate.
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSFileError(
                "The settings tls-certificate and tls-key do not fit together: the key in \(key.path) does not belong to the "
                    + "first certificate in \(chain.path) (\(error)).")
        }
        return Present(chain: chain.bytes, key: key.bytes, configuration: configuration, number: number)
    }
}

extension ServerConfiguration.TLSFiles {
    /// Reads the files, so that a server can refuse them before it does anything else.
    ///
    /// - Throws: an error whose description is one line with the setting and the file.
    public func check() throws {
        _ = try ServerCertificate(self)
    }
}

/// A certificate or a key that a server can't use.
private struct TLSFileError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A PEM file, and the setting that names it.
private struct PEMFile {
    let path: String
    let bytes: [UInt8]
    private let setting: String
    private let text: String

    init(_ setting: String, _ path: String) throws {
        do {
            bytes = try NamedFile.bytes(of: path)
        } catch {
            throw TLSFileError("The setting \(setting) is wrong: \(error).")
        }
        text = String(decoding: bytes, as: UTF8.self)
        self.setting = setting
        self.path = path
    }

    private var hasCertificate: Bool { text.has("CERTIFICATE-----") }
    private var hasKey: Bool { text.has("PRIVATE KEY-----") }

    func certificates() throws -> [NIOSSLCertificate] {
        guard hasCertificate else {
            throw wrong(
                hasKey
                    ? "has a private key and no certificate: tls-certificate and tls-key may be swapped"
                    : "has no certificate in PEM form (BEGIN CERTIFICATE)")
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
            throw wrong("has a certificate that can't be read: it is cut off or damaged")
        }
        return certificates
    }

    func privateKey() throws -> NIOSSLPrivateKey {
        guard hasKey else {
            throw wrong(
                hasCertificate
                    ? "has a certificate and no private key: tls-certificate and tls-key may be swapped"
                    : "has no private key in PEM form (BEGIN PRIVATE KEY)")
        }
        guard !text.has("BEGIN ENCRYPTED PRIVATE KEY"), !text.has("Proc-Type: 4,ENCRYPTED") else {
            throw wrong(
                "is encrypted with a passphrase, and nobody could enter it at a start: `openssl pkey -in KEY -out FILE` "
                    + "writes it without one")
        }
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw wrong("has a private key that can't be read: it is cut off or damaged")
        }
        return key
    }

    private func wrong(_ reason: String) -> TLSFileError {
        TLSFileError("The setting \(setting) is wrong: \(path) \(reason).")
    }
}

/// HTTP/1.1 and HTTP/2 over TLS. Each connection uses the certificate that is current when it begins.
final class RenewedTLSChannel: ServerChildChannel {
    typealias Value = HTTP2UpgradeChannel.Value

    private let certificate: ServerCertificate
    private let configuration: HTTP2ChannelConfiguration
    private let responder: HTTPChannelHandler.Responder
    private let present: Mutex<(number: Int, channel: HTTP2UpgradeChannel)>

    init(
        _ certificate: ServerCertificate, configuration: HTTP2ChannelConfiguration,
        responder: @escaping HTTPChannelHandler.Responder
    ) throws {
        self.certificate = certificate
        self.configuration = configuration
        self.responder = responder
        let (tls, number) = certificate.current
        present = Mutex(
            (number, try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: configuration, responder: responder))
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            return try current().setup(channel: channel, logger: logger)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    func handle(value: Value, logger: Logger) async {
        // The handling of a connection does not depend on its certificate.
        await present.withLock { $0.channel }.handle(value: value, logger: logger)
    }

    private func current() throws -> HTTP2UpgradeChannel {
        let (tls, number) = certificate.current
        return try present.withLock { present in
            if present.number != number {
                let channel = try HTTP2UpgradeChannel(
                    tlsConfiguration: tls, configuration: configuration, responder: responder)
                present = (number, channel)
            }
            return present.channel
        }
    }
}
