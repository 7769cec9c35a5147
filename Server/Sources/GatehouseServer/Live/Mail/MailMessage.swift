import GatehousePlatform
import GatehouseSecurity

/// An e-mail as it is sent (RFC 5322): plain text in UTF-8, of which each line is short and none begins with a dot.
struct MailMessage {
    /// With `\r\n` between the lines, and none at the end.
    let text: String

    init(_ mail: OutgoingMail, from sender: String) {
        let domain = sender.parts(at: "@").last.map(String.init) ?? "localhost"
        let date = HTTPDate.text(mail.date.milliseconds / 1_000, zone: "+0000")
        let head = [
            "From: Gatehouse <\(sender)>", "To: <\(mail.recipient)>", "Subject: \(Self.words(mail.subject))",
            "Date: \(date)", "Message-ID: <\(mail.id)@\(domain)>", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
            "Auto-Submitted: auto-generated", "",
        ]
        text = (head + Self.lines(Data((mail.text + "\n").utf8).base64EncodedString())).joined(separator: "\r\n")
    }

    private static func lines(_ text: String) -> [String] {
        let letters = Array(text.utf8)
        return stride(from: 0, to: letters.count, by: 76).map { start in
            String(decoding: letters[start..<min(start + 76, letters.count)], as: UTF8.self)
        }
    }

    /// A text as encoded words (RFC 2047), each of whole characters and on a line of its own.
    static func words(_ text: String) -> String {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars where scalar.value >= 32 && scalar.value != 127 {
            if word.utf8.count + String(scalar).utf8.count > 42 {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        return (words + [word]).map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
