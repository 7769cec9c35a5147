import GatehouseJSON
import GatehousePlatform

/// `application/x-www-form-urlencoded`.
package enum Form {
    package static func encode(_ text: String) -> String { text.percentEncoded }

    package static func text(_ members: [String: String]) -> String {
        members.sorted { $0.key < $1.key }.map { "\(encode($0.key))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Nil if the text is not a form, or if a name occurs twice, because parsers disagree about which one counts.
    package static func parse(_ text: some StringProtocol) -> [String: String]? { parse(text.utf8) }

    package static func parse(_ bytes: some Sequence<UInt8>) -> [String: String]? {
        var members: [ExactText: String] = [:]
        for field in FormEncoding.fields(of: bytes) {
            guard field.isWellFormed, members.updateValue(field.value, forKey: ExactText(field.name)) == nil else {
                return nil
            }
        }
        return Dictionary(members.map { ($0.key.text, $0.value) }) { first, _ in first }
    }
}
