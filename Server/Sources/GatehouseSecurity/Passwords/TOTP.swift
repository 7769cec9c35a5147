import Crypto
import GatehousePlatform

/// Time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds, as every authenticator app computes them.
package struct TOTP: Sendable {
    package static let secretLength = 20
    private static let stepSeconds: Int64 = 30
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package let secret: [UInt8]

    package init(secret: [UInt8]) {
        self.secret = secret
    }

    /// The step that a code belongs to: the current one, the one before or the one after. Nil if it belongs to none of them, or to none
    /// after `last`.
    ///
    /// - Parameters:
    ///   - code: as a person types it, such as `123 456`.
    ///   - last: the last step whose code was used. A code counts once, and never after a later one.
    package func step(of code: String, at moment: Moment, after last: Int64) -> Int64? {
        let given = Array(code.typedDigits.utf8)
        let now = moment.milliseconds / 1_000 / Self.stepSeconds
        var found: Int64?
        for step in (now - 1)...(now + 1)
        where ConstantTime.isEqual(Array(self.code(at: step).utf8), given) && step > last {
            found = step
        }
        return found
    }

    /// The code of a moment.
    package func code(at moment: Moment) -> String { code(at: moment.milliseconds / 1_000 / Self.stepSeconds) }

    /// The code of a step, of `digits` digits (RFC 4226 section 5.3).
    package func code(at step: Int64, digits: Int = 6) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian) { Data($0) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(mac[19] & 0x0f)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        let modulus = (0..<digits).reduce(UInt32(1)) { value, _ in value &* 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The secret in base32 without padding (RFC 4648 section 6), for typing.
    package var base32: String {
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in secret {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(Self.letters[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(Self.letters[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Upper bound on the host in an address, so that a QR code holds it.
    private static let hostLength = 64

    /// The address that an authenticator app reads from a QR code. Of two entries with one issuer and one account an app keeps the later,
    /// so the issuer names the server.
    ///
    /// - Parameter host: with the port, if that is part of the server's address. A colon would end the issuer, and becomes a hyphen.
    package func address(account: String, host: String) -> String {
        let name = String(String.UnicodeScalarView(host.unicodeScalars.prefix(Self.hostLength)))
        let issuer = "Gatehouse \(name.substituting(":", by: "-"))".percentEncoded
        return "otpauth://totp/\(issuer):\(account.percentEncoded)?secret=\(base32)&issuer=\(issuer)"
    }
}
