import GatehousePlatform
import NIOCore

/// A reply of a mail server (RFC 5321, section 4.2): a code, and the texts of its lines.
struct SMTPReply: Sendable, Hashable {
    let code: Int
    let lines: [String]

    /// Why bytes are no reply.
    struct Malformed: Error {}

    private static let longest = 1_000
    private static let mostLines = 100

    /// Takes one reply from what has arrived; nil as long as it is not complete.
    ///
    /// - Throws: ``Malformed`` for a line without a code, another code in a later line, or too much of either.
    static func take(from buffer: inout ByteBuffer) throws -> SMTPReply? {
        var rest = buffer
        var code: Int?
        var lines: [String] = []
        while true {
            guard let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
                guard rest.readableBytes <= longest else { throw Malformed() }
                return nil
            }
            var line = Array(rest.readableBytesView[..<end])
            rest.moveReaderIndex(to: end + 1)
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            let digits = line.prefix(3).map { Int($0) - 0x30 }
            guard line.count <= longest, lines.count < mostLines, digits.count == 3,
                digits.allSatisfy({ (0...9).contains($0) }), (2...5).contains(digits[0])
            else { throw Malformed() }
            let number = digits[0] * 100 + digits[1] * 10 + digits[2]
            guard code == nil || code == number else { throw Malformed() }
            code = number
            lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
            switch line.dropFirst(3).first {
            case UInt8(ascii: " "), nil:
                buffer = rest
                return SMTPReply(code: number, lines: lines)
            case UInt8(ascii: "-"): continue
            default: throw Malformed()
            }
        }
    }

    /// The words after a keyword that the server offers in its answer to EHLO, all in small letters; nil if it does not.
    func offer(_ keyword: String) -> [String]? {
        lines.dropFirst().lazy.map { $0.lowercasedASCII.parts(at: " ").map(String.init) }
            .first { $0.first == keyword }.map { Array($0.dropFirst()) }
    }
}
