/// Texts that begin with a time and grow with it: 48 bits of milliseconds since 1970 in ten letters of base 32.
package enum TimeOrderedText {
    /// In their order.
    package static let letters = Array("0123456789abcdefghijklmnopqrstuv".utf8)
    package static let length = 26
    private static let timeLength = 10

    /// The first text of a moment.
    package static func first(at milliseconds: Int64) -> String {
        let time = UInt64(clamping: milliseconds) & (1 << 48 - 1)
        let digits = (0..<timeLength).map { letters[Int(time >> (45 - 5 * UInt64($0)) & 31)] }
        let zeros = [UInt8](repeating: letters[0], count: length - timeLength)
        return String(decoding: digits + zeros, as: UTF8.self)
    }

    /// The moment of a text, or of its beginning. Nil if it has other letters there, or a time of more than 48 bits.
    package static func milliseconds(of text: String) -> Int64? {
        var time: Int64 = 0
        let digits = Array(text.utf8.prefix(timeLength))
        for place in 0..<timeLength {
            guard place < digits.count else {
                time <<= 5
                continue
            }
            guard let digit = letters.firstIndex(of: digits[place]) else { return nil }
            time = time << 5 | Int64(digit)
        }
        return time < 1 << 48 ? time : nil
    }
}
