import GatehouseWire
import Synchronization

/// Ids that grow with time, so that a table of a hundred million rows is written at its end.
enum TimeOrderedID {
    /// 2024-01-01T00:00:00Z: user ids count from here, which makes 41 bits last until 2093.
    private static let userEpoch: Int64 = 1_704_067_200_000
    private static let userLetters = Array(UserID.alphabet.utf8)
    private static let sessionLetters = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    /// 41 bits of milliseconds and 35 random bits, in base 28. Two members of one millisecond can meet: the primary key
    /// refuses the second, and it draws again.
    static func user(at moment: Moment, random: RandomSource) -> UserID {
        let time = UInt128(clamping: Int128(moment.milliseconds) - Int128(userEpoch)) & (1 << 41 - 1)
        let value = time << 35 | random.integer(bits: 35)
        return UserID(spell(value, letters: userLetters, length: UserID.length))
    }

    /// 48 bits of milliseconds and 80 random bits, in base 32.
    static func session(at moment: Moment, random: RandomSource) -> SessionID {
        let time = UInt128(clamping: moment.milliseconds) & (1 << 48 - 1)
        return SessionID(spell(time << 80 | random.integer(bits: 80), letters: sessionLetters, length: 26))
    }

    private static let entries = Atomic<UInt64>(0)

    /// 48 bits of milliseconds, 24 bits that count up, and 56 random ones, in base 32: the entries of one process keep their
    /// order also within a millisecond and within a transaction.
    static func entry(at moment: Moment, random: RandomSource) -> String {
        let time = UInt128(clamping: moment.milliseconds) & (1 << 48 - 1)
        let count = UInt128(entries.wrappingAdd(1, ordering: .relaxed).newValue & (1 << 24 - 1))
        return spell(time << 80 | count << 56 | random.integer(bits: 56), letters: sessionLetters, length: 26)
    }

    /// What every session id of this moment or later is not less than.
    static func firstSession(at moment: Moment) -> SessionID {
        session(at: moment, random: RandomSource { [UInt8](repeating: 0, count: $0) })
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
