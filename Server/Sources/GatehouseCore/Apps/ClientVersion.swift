import GatehousePlatform
import GatehouseSecurity

/// A game's version, such as `1.9.9`. Versions are compared number by number: 1.10 comes after 1.9, and 2.0 is the same as 2.
package struct ClientVersion: Sendable, Hashable, Comparable {
    /// Digits without zeros in front, so that numbers of any length can be compared. No zeros at the end.
    private let numbers: [Substring]

    static let zero = ClientVersion(numbers: [])

    private init(numbers: [Substring]) {
        self.numbers = numbers
    }

    /// Reads what a client says: the numbers and dots with which a text begins, after an optional `v`. What follows, such as `-beta`, does
    /// not count.
    ///
    /// - Returns: nil for a text that does not begin so.
    package init?(_ text: String) {
        var rest = text.trimmingWhitespace().utf8[...]
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "v") { rest = rest.dropFirst() }
        var numbers: [Substring] = []
        while true {
            let digits = rest.prefix(while: ASCII.isDigit)
            guard !digits.isEmpty else { break }
            numbers.append(Substring(digits.drop { $0 == UInt8(ascii: "0") }))
            rest = rest[digits.endIndex...]
            guard rest.first == UInt8(ascii: ".") else { break }
            rest = rest.dropFirst()
        }
        guard !numbers.isEmpty else { return nil }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        self.numbers = numbers
    }

    /// The most letters of a version in a rule.
    private static let maximumLength = 64

    /// Whether a text is nothing but numbers with dots between them, as an operator writes a version.
    package static func isVersion(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.parts(at: ".", withEmpty: true).allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy(ASCII.isDigit)
            }
    }

    package static func < (one: ClientVersion, other: ClientVersion) -> Bool {
        for index in 0..<max(one.numbers.count, other.numbers.count) {
            let left = index < one.numbers.count ? one.numbers[index] : ""
            let right = index < other.numbers.count ? other.numbers[index] : ""
            if left.utf8.count != right.utf8.count { return left.utf8.count < right.utf8.count }
            if left != right { return left < right }
        }
        return false
    }
}
