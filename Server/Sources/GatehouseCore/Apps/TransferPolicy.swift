import GatehouseProviders
package import GatehouseSecurity

/// The properties of an app's transfer accounts (TRANSFER-5).
public struct TransferPolicy: Codable, Sendable, Hashable {
    /// The characters of an id or a password, each with the minimum length that makes guessing infeasible (Gamebase's console).
    public enum Alphabet: String, Codable, Sendable, Hashable, CaseIterable {
        case digits
        case digitsAndLower = "digits-lower"
        case digitsAndUpper = "digits-upper"
        case digitsLowerAndUpper = "digits-lower-upper"
        case lowerAndUpper = "lower-upper"

        public var minimumLength: Int {
            switch self {
            case .digits: 12
            case .digitsAndLower, .digitsAndUpper: 10
            case .digitsLowerAndUpper, .lowerAndUpper: 9
            }
        }

        /// A description of the characters for players.
        var words: String {
            switch self {
            case .digits: "digits"
            case .digitsAndLower: "digits and lower-case letters"
            case .digitsAndUpper: "digits and upper-case letters"
            case .digitsLowerAndUpper: "digits, lower-case and upper-case letters"
            case .lowerAndUpper: "lower-case and upper-case letters"
            }
        }

        /// How many different characters there are.
        package var count: Int { sets.reduce(0) { $0 + $1.count } }

        /// The character sets: a text has at least one character of each, and no others.
        var sets: [[UInt8]] {
            let digits = Array("0123456789".utf8)
            let lower = Array("abcdefghijklmnopqrstuvwxyz".utf8)
            let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
            return switch self {
            case .digits: [digits]
            case .digitsAndLower: [digits, lower]
            case .digitsAndUpper: [digits, upper]
            case .digitsLowerAndUpper: [digits, lower, upper]
            case .lowerAndUpper: [lower, upper]
            }
        }
    }

    /// The form of an id or a password.
    public struct Form: Codable, Sendable, Hashable {
        public var alphabet: Alphabet
        /// Up to 64.
        public var length: Int

        public init(_ alphabet: Alphabet, length: Int) {
            self.alphabet = alphabet
            self.length = length
        }

        /// A text as one that the server makes.
        package func example(random: RandomSource) -> String { TransferLetters.generate(self, random: random) }
    }

    public var id = Form(.digits, length: 12)
    public var password = Form(.digitsLowerAndUpper, length: 10)
    public var isSingleUse = true
    /// Nil for transfer accounts that don't expire.
    public var lifetimeSeconds: Int64? = 30 * 86_400
    /// The consecutive wrong attempts that cause a block, for one account and for one device: 1 to 99.
    public var attempts = 5
    /// The duration of the block.
    public var blockSeconds: Int64 = 3_600

    public init() {}
}
