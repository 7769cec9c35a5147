import Crypto
import GatehousePlatform
package import GatehouseWire
import Synchronization

/// Ids that grow with time, so that new rows are added at the end of even a very large table.
package enum TimeOrderedID {
    /// 2024-01-01T00:00:00Z. User ids count from here, so that 41 bits last until 2093.
    private static let userEpoch: Int64 = 1_704_067_200_000
    private static let userLetters = Array(UserID.alphabet.utf8)

    /// 41 bits of milliseconds and 35 random bits, in base 28. Two members of one millisecond can get the same id: the primary key
    /// refuses the second, and another id is drawn.
    package static func user(at moment: Moment, random: RandomSource) -> UserID {
        let time = UInt128(clamping: Int128(moment.milliseconds) - Int128(userEpoch)) & (1 << 41 - 1)
        let value = time << 35 | random.integer(bits: 35)
        return UserID(spell(value, letters: userLetters, length: UserID.length))
    }

    /// 48 bits of milliseconds and 80 random bits, in base 32.
    package static func session(at moment: Moment, random: RandomSource) -> SessionID {
        let time = UInt128(clamping: moment.milliseconds) & (1 << 48 - 1)
        return SessionID(text(time << 80 | random.integer(bits: 80)))
    }

    /// A text after every id, and after every id with the same beginning when it is appended to it. It has letters only, because where
    /// PostgreSQL compares texts as a language does, signs such as `~` come before letters.
    package static let end = String(repeating: "z", count: 64)

    private static let entries = Atomic<UInt64>(0)

    /// 48 bits of milliseconds, a counter of 24 bits, and 56 random bits, in base 32. The entries of one process keep their order
    /// within a millisecond and within a transaction.
    package static func entry(at moment: Moment, random: RandomSource) -> String {
        let time = UInt128(clamping: moment.milliseconds) & (1 << 48 - 1)
        let count = UInt128(entries.wrappingAdd(1, ordering: .relaxed).newValue & (1 << 24 - 1))
        return text(time << 80 | count << 56 | random.integer(bits: 56))
    }

    /// A lower bound of all session ids at this moment or later.
    package static func firstSession(at moment: Moment) -> SessionID {
        SessionID(TimeOrderedText.first(at: moment.milliseconds))
    }

    /// A lower bound of all entries' ids at this moment or later.
    package static func firstEntry(at moment: Moment) -> String { TimeOrderedText.first(at: moment.milliseconds) }

    /// A lower bound of all user ids at this moment or later.
    package static func firstUser(at moment: Moment) -> UserID {
        let moment = Moment(milliseconds: max(moment.milliseconds, userEpoch))
        return user(at: moment, random: RandomSource { [UInt8](repeating: 0, count: $0) })
    }

    private static func text(_ value: UInt128) -> String {
        spell(value, letters: TimeOrderedText.letters, length: TimeOrderedText.length)
    }

    private static func spell(_ value: UInt128, letters: [UInt8], length: Int) -> String {
        let base = UInt128(letters.count)
        var rest = value
        var text = [UInt8](repeating: letters[0], count: length)
        for position in text.indices.reversed() {
            text[position] = letters[Int(rest % base)]
            rest /= base
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A secret of two parts, `ID.SECRET`: the id finds a row, and the 256 random bits authenticate it. The database has only their hash.
package struct SplitToken: Sendable {
    /// A ``TimeOrderedID`` of 26 letters.
    package let id: String
    private let secret: [UInt8]

    package init(id: String, random: RandomSource) {
        self.id = id
        secret = random.bytes(32)
    }

    /// Nil if the text is not such a token.
    package init?(_ text: String) {
        let parts = text.parts(at: ".", atMost: 2, withEmpty: true)
        guard parts.count == 2, parts[0].utf8.count == 26, parts[1].utf8.count == 43,
            parts[0].utf8.allSatisfy({ ASCII.isDigit($0) || (0x61...0x76).contains($0) }),
            let secret = Base64URL.decode(parts[1].utf8)
        else { return nil }
        id = String(parts[0])
        self.secret = secret
    }

    package var text: String { "\(id).\(Base64URL.encode(secret))" }
    package var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// Whether the secret has this hash. The comparison takes constant time.
    package func matches(_ hash: [UInt8]) -> Bool { ConstantTime.isEqual(self.hash, hash) }
}
