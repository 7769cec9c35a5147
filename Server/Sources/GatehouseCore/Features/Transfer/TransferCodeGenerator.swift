import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

/// Generates ids, passwords and keys that players read on one screen and type into another.
enum TransferCodeGenerator {
    /// Generates a uniformly random text with at least one letter of each set of the alphabet.
    static func generate(_ form: TransferPolicy.Form, random: RandomSource) -> String {
        generate(sets: form.alphabet.sets, length: form.length, random: random)
    }

    /// A transfer key: eight letters, at least one of each kind (TRANSFER-8).
    static func key(random: RandomSource) -> String {
        generate(sets: TransferPolicy.Alphabet.digitsLowerAndUpper.sets, length: keyLength, random: random)
    }

    static let keyLength = 8

    /// Draws again until every set has a letter, so that all valid texts are equally likely.
    private static func generate(sets: [[UInt8]], length: Int, random: RandomSource) -> String {
        let letters = sets.flatMap { $0 }
        while true {
            let text = (0..<length).map { _ in letters[draw(below: letters.count, random: random)] }
            if sets.allSatisfy({ set in text.contains { set.contains($0) } }) {
                return String(decoding: text, as: UTF8.self)
            }
        }
    }

    /// Draws without bias: values beyond the last whole multiple are drawn again.
    private static func draw(below count: Int, random: RandomSource) -> Int {
        let limit = 256 / count * count
        while true {
            let value = Int(random.bytes(1).first ?? 0)
            if value < limit { return value % count }
        }
    }

    /// An id, a password or a key as a player types it. They are letters and digits of ASCII, so neither what stands around them nor their
    /// width is a part of them. Their case is. A text that is far longer than any of them is refused later, and not worked on before.
    static func typed(_ text: String) -> String { text.utf8.count > 256 ? text : text.typedText }

    static func typed(_ password: TransferPassword) -> TransferPassword {
        TransferPassword(typed(password.secretValue))
    }

    /// The requirements for a player's own id or password, for the developer who shows them to the player.
    static func words(for form: TransferPolicy.Form) -> String {
        "\(form.length) to \(TransferPolicy.Form.maximumLength) letters, of \(form.alphabet.words), with at least one of each"
    }

    /// Whether a player's own id or password satisfies the policy: its letters, its minimum length, and at least one letter of each
    /// set.
    static func satisfies(_ text: String, _ form: TransferPolicy.Form) -> Bool {
        let letters = Array(text.utf8)
        guard letters.count >= form.length, letters.count <= TransferPolicy.Form.maximumLength else { return false }
        let sets = form.alphabet.sets
        return letters.allSatisfy { letter in sets.contains { $0.contains(letter) } }
            && sets.allSatisfy { set in letters.contains { set.contains($0) } }
    }
}
