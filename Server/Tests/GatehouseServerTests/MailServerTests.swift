import Foundation
import GatehouseSecurity
import NIOCore
import TestDatabases
import Testing

@testable import GatehouseServer

/// E-mails, with a real mail server: aiosmtpd, from Debian's packages.
@Suite(.timeLimit(.minutes(5))) struct MailServerTests {
    private static let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("EndToEndTests/TLS")
    private static let certificate = files.appendingPathComponent("certificate.pem")

    /// Debian's Python alone sees Debian's packages.
    private static let isAvailable: Bool = {
        if FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/aiosmtpd") { return true }
        let warning = "*** E-mail is not tested with a real server: apt-get install python3-aiosmtpd ***\n"
        FileHandle.standardError.write(Data(warning.utf8))
        return false
    }()

    private static let mail = OutgoingMail(
        recipient: "ops@example.com", subject: "게임: 심각 – many logins are refused, which is a long subject\r\nBcc: x@y",
        text: "Of 120 logins 60% were refused.\n.\n\nhttps://login.example.com/console?a=1&b=2", id: "job-1",
        date: Moment(milliseconds: 1_795_219_200_000))

    private static func mail(to recipient: String) -> OutgoingMail {
        var mail = mail
        mail.recipient = recipient
        return mail
    }

    /// The lines that the server has printed of one e-mail.
    private func received(
        beginsWithTLS: Bool, _ send: (_ port: Int, _ certificate: String) async throws -> Void
    ) async throws -> [String] {
        let port = try LoopbackListener.freePort()
        let process = try ChildProcess(
            "/usr/bin/python3",
            [
                Self.files.appendingPathComponent("mail_server.py").path, Self.certificate.path,
                Self.files.appendingPathComponent("key.pem").path, beginsWithTLS ? "tls" : "starttls", String(port),
            ])
        let (lines, said) = AsyncStream.makeStream(of: String.self)
        process.follow {
            said.yield($0)
        } end: { _ in
            said.finish()
        }
        defer { process.signal(SIGTERM) }
        var taken = lines.makeAsyncIterator()
        while let line = await taken.next(), line != "READY" {}
        try await send(port, String(contentsOf: Self.certificate, encoding: .utf8))
        process.signal(SIGTERM)
        var printed: [String] = []
        while let line = await taken.next() { printed.append(line) }
        return printed
    }

    private func client(
        _ beginsWithTLS: Bool, port: Int, host: String = "localhost", user: String = "game:p%C3%A4ss%20word",
        trusting pems: [String] = []
    ) throws -> SMTPClient {
        let url = "\(beginsWithTLS ? "smtps" : "smtp")://\(user)@\(host):\(port)"
        let server = try #require(MailServer(url, sender: "gatehouse@example.com"))
        return SMTPClient(server: server, trustedCertificates: pems)
    }

    @Test(
        "A mail server takes an e-mail with TLS from the beginning, and with STARTTLS", .enabled(if: isAvailable),
        arguments: [true, false])
    func sent(beginsWithTLS: Bool) async throws {
        let lines = try await received(beginsWithTLS: beginsWithTLS) { port, pem in
            try await client(beginsWithTLS, port: port, trusting: [pem]).send(Self.mail)
        }
        #expect(lines.contains { $0.hasPrefix("FROM gatehouse@example.com TO ops@example.com TLS") }, "\(lines)")
        let message = lines.filter { $0.hasPrefix("LINE") }.map { String($0.dropFirst(5)) }
        let (head, body) = (message.prefix { !$0.isEmpty }, message.drop { !$0.isEmpty }.dropFirst())
        #expect(head.contains("Date: Sat, 21 Nov 2026 00:00:00 +0000"), "\(head)")
        #expect(head.contains("Message-ID: <job-1@example.com>") && head.contains("To: <ops@example.com>"))
        #expect(!head.contains { $0.hasPrefix("Bcc") } && head.allSatisfy { $0.utf8.count <= 78 }, "\(head)")
        let text = try #require(Data(base64Encoded: body.joined()))
        #expect(String(decoding: text, as: UTF8.self) == Self.mail.text + "\n")
    }

    @Test(
        "Nothing is sent to a server that is not trusted, and its refusals are told by their codes",
        .enabled(if: isAvailable), arguments: [true, false])
    func refused(beginsWithTLS: Bool) async throws {
        let lines = try await received(beginsWithTLS: beginsWithTLS) { port, pem in
            await #expect(throws: OutgoingFailure.notTrusted) {
                try await client(beginsWithTLS, port: port).send(Self.mail)
            }
            await #expect(throws: MailRefusal(code: 535)) {
                try await client(beginsWithTLS, port: port, user: "game:wrong", trusting: [pem]).send(Self.mail)
            }
            let stranger = Self.mail(to: "nobody@example.com")
            await #expect(throws: MailRefusal(code: 550)) {
                try await client(beginsWithTLS, port: port, trusting: [pem]).send(stranger)
            }
            let hostile = Self.mail(to: "a@b>\r\nRCPT TO:<c@d")
            await #expect(throws: MailRefusal(code: 553)) {
                try await client(beginsWithTLS, port: port, trusting: [pem]).send(hostile)
            }
        }
        #expect(!lines.contains { $0.hasPrefix("FROM") }, "\(lines)")
        let port = try LoopbackListener.freePort()
        await #expect(throws: OutgoingFailure.notConnected) {
            try await client(beginsWithTLS, port: port).send(Self.mail)
        }
    }

    @Test("A reply is read whole, line by line, and what is none is refused")
    func replies() throws {
        func take(_ text: String) throws -> (SMTPReply?, Int) {
            var buffer = ByteBuffer(string: text)
            return (try SMTPReply.take(from: &buffer), buffer.readableBytes)
        }
        let (ready, none) = try take("220 ready\r\n")
        #expect(ready == SMTPReply(code: 220, lines: ["ready"]) && none == 0)
        let (first, rest) = try take("250\r\n250 x\r\n")
        #expect(first == SMTPReply(code: 250, lines: [""]) && rest == 7)
        #expect(try take("250-a\r\n250-AUTH PLAIN LOGIN\r\n").0 == nil)
        let hello = try #require(try take("250-a\r\n250-auth PLAIN LOGIN\r\n250 STARTTLS\r\n").0)
        #expect(hello.offer("auth") == ["plain", "login"] && hello.offer("starttls") == [] && hello.offer("a") == nil)
        let many = String(repeating: "250-x\r\n", count: 200)
        for text in [
            "\r\n", "hello\r\n", "99 x\r\n", "250x\r\n", "250-a\r\n251 b\r\n", "650 x\r\n", "٢٥٠ x\r\n", many,
            String(repeating: "2", count: 2_000),
        ] {
            #expect(throws: SMTPReply.Malformed.self, "\(text.prefix(20))") { _ = try take(text) }
        }
    }

    @Test("The setting names a server with TLS, a user with a password or none, and a sender")
    func settings() {
        let full = MailServer("smtps://game:p%40ss@mail.example.com", sender: "a@example.com")
        #expect(full?.host == "mail.example.com" && full?.port == 465 && full?.beginsWithTLS == true)
        #expect(full?.user == "game" && full?.password == "p@ss")
        #expect(MailServer("smtp://mail.example.com:2525", sender: "a@example.com")?.port == 2_525)
        #expect(MailServer("smtp://mail.example.com", sender: "a@example.com")?.port == 587)
        for url in [
            "", "mail.example.com", "https://mail.example.com", "smtps://game@mail.example.com", "smtps://h/x",
            "smtps://h:0",
        ] {
            #expect(MailServer(url, sender: "a@example.com") == nil, "\(url)")
        }
        for sender in ["", "a", "a@b@c", "a@b>", "a b@c", "é@example.com"] {
            #expect(MailServer("smtps://mail.example.com", sender: sender) == nil, "\(sender)")
        }
    }
}
