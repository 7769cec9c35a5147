import Foundation
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The certificate that new connections are served with, and the files that it comes from. Files that are changed are taken
/// while the server runs, so that a certificate of a few weeks needs no restart; files that can't be taken change nothing.
final class ServerCertificate: Sendable {
    /// Between two looks at the files.
    static let intervalSeconds: Int64 = 60

    private struct Present {
        let chain: [UInt8]
        let key: [UInt8]
        let configuration: TLSConfiguration
        /// Counts the certificates.
        let number: Int
    }

    private let files: ServerConfiguration.TLSFiles
    private let present: Mutex<Present>

    init(_ files: ServerConfiguration.TLSFiles) throws {
        self.files = files
        present = Mutex(try Self.load(files, number: 1))
    }

    /// The settings of connections that begin now, and the number of their certificate.
    var current: (configuration: TLSConfiguration, number: Int) {
        present.withLock { ($0.configuration, $0.number) }
    }

    /// Takes the files if they have changed; false if they have not. Every look compares their bytes: of two files one may be
    /// written before the other, and the next look finds both.
    ///
    /// - Throws: when they are no certificate with its key. The present one stays.
    func renew() throws -> Bool {
        try present.withLock { present in
            let next = try Self.load(files, number: present.number + 1)
            guard next.chain != present.chain || next.key != present.key else { return false }
            present = next
            return true
        }
    }

    /// The same, with what there is to tell in the log.
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
        let chain = Array(try Data(contentsOf: URL(fileURLWithPath: files.certificateChain)))
        let key = Array(try Data(contentsOf: URL(fileURLWithPath: files.privateKey)))
        let certificates = try NIOSSLCertificate.fromPEMBytes(chain)
        guard !certificates.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        // Fails where the key is another certificate's.
        _ = try NIOSSLContext(configuration: configuration)
        return Present(chain: chain, key: key, configuration: configuration, number: number)
    }
}

/// HTTP/1.1 and HTTP/2 over TLS, each connection with the certificate that is the present one when it begins.
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
        // What is done with a connection does not depend on its certificate.
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
