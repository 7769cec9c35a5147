import GatehousePlatform
import GatehouseSecurity
import NIOCore
import NIOPosix
import NIOSSL

/// Hands e-mails to a mail server (RFC 5321), always with TLS: nothing is sent before the server has shown a certificate that is trusted.
struct SMTPClient: Sendable {
    /// How long a whole delivery may take.
    static let seconds: Int64 = 20

    let server: MailServer
    /// Authorities, as PEM, that are trusted besides the system's.
    var trustedCertificates: [String] = []

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    func send(_ mail: OutgoingMail) async throws {
        guard MailServer.isAddress(mail.recipient) else { throw MailRefusal(code: 553) }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await deliver(mail) }
                group.addTask {
                    try await Task.sleep(for: .seconds(Self.seconds))
                    throw OutgoingFailure.timedOut(seconds: Self.seconds)
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            throw failure(error)
        }
    }

    /// The error's own message is not passed on, because it could contain a part of what was sent.
    private func failure(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is OutgoingFailure, is MailRefusal: error
        // What speaks another protocol takes no e-mail.
        case is SMTPReply.Malformed: MailRefusal(code: 500)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: OutgoingFailure.notTrusted
        default: OutgoingFailure.notConnected
        }
    }

    private func deliver(_ mail: OutgoingMail) async throws {
        let tls = try NIOSSLContext(configuration: OutgoingHTTP.configuration(trusting: trustedCertificates))
        let (host, beginsWithTLS) = (server.host, server.beginsWithTLS)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(5))
            .connect(host: host, port: server.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if beginsWithTLS { try channel.pipeline.syncOperations.addHandler(Self.handler(tls, host)) }
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var talk = SMTPTalk(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            try await talk.expect(220)
            var offers = try await talk.say("EHLO [127.0.0.1]", 250)
            if !beginsWithTLS {
                guard offers.offer("starttls") != nil else { throw OutgoingFailure.notTrusted }
                try await talk.say("STARTTLS", 220)
                // What came before TLS would count as if it had come with it.
                guard talk.isEmpty else { throw SMTPReply.Malformed() }
                try await channel.channel.eventLoop.submit {
                    try channel.channel.pipeline.syncOperations.addHandler(Self.handler(tls, host), position: .first)
                }.get()
                offers = try await talk.say("EHLO [127.0.0.1]", 250)
            }
            if let user = server.user, let password = server.password {
                guard offers.offer("auth")?.contains(where: { $0 == "plain" }) == true else {
                    throw MailRefusal(code: 504)
                }
                let proof = Data("\0\(user)\0\(password)".utf8).base64EncodedString()
                try await talk.say("AUTH PLAIN \(proof)", 235)
            }
            try await talk.say("MAIL FROM:<\(server.sender)>", 250)
            try await talk.say("RCPT TO:<\(mail.recipient)>", 250, 251)
            try await talk.say("DATA", 354)
            try await talk.say(MailMessage(mail, from: server.sender).text + "\r\n.", 250)
            // The server has taken it, whatever it says to the farewell.
            _ = try? await talk.say("QUIT", 221)
        }
    }

    /// - Throws: for a host that can't have a certificate.
    private static func handler(_ context: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
        do {
            return try NIOSSLClientHandler(context: context, serverHostname: host)
        } catch let error as NIOSSLExtraError where error == .cannotUseIPAddressInSNI {
            // Its certificate is compared with the address.
            return try NIOSSLClientHandler(context: context, serverHostname: nil)
        }
    }
}

/// Commands and replies, one after the other.
private struct SMTPTalk {
    var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var arrived = ByteBuffer()

    init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    /// Whether nothing has come that was not asked for.
    var isEmpty: Bool { arrived.readableBytes == 0 }

    @discardableResult
    mutating func say(_ line: String, _ codes: Int...) async throws -> SMTPReply {
        do {
            try await outbound.write(ByteBuffer(string: line + "\r\n"))
        } catch {
            // A connection that has failed says why to its reader alone, such as a certificate that is not trusted.
            while try await inbound.next() != nil {}
            throw error
        }
        return try await reply(codes)
    }

    mutating func expect(_ code: Int) async throws { _ = try await reply([code]) }

    private mutating func reply(_ codes: [Int]) async throws -> SMTPReply {
        while true {
            if let reply = try SMTPReply.take(from: &arrived) {
                guard codes.contains(reply.code) else {
                    throw MailRefusal(code: reply.code >= 400 ? reply.code : 500)
                }
                return reply
            }
            guard var more = try await inbound.next() else { throw OutgoingFailure.notConnected }
            arrived.writeBuffer(&more)
        }
    }
}
