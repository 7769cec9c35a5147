import GatehouseJSON
import GatehousePlatform
import HTTPTypes
import Hummingbird

/// The script's request for what will happen alone, while somebody fills in the form.
struct WillPart {
    /// The fields in which the reader has typed, or which the reader has left.
    private let reached: Set<String>

    /// Nil for a request for a whole page.
    init?(_ request: Request) {
        let words = request.headers.value(of: .part)?.parts(at: " ") ?? []
        guard String(words.first ?? "").isExactly("will") else { return nil }
        reached = Set(words.dropFirst().map { String($0) })
    }

    /// The problems that the reader can know about: an empty field is none before the reader has come to it.
    func problems(of deed: DeedPage) -> [String: String] {
        deed.problems.filter { deed.values.isSet($0.key) || reached.contains($0.key) }
    }
}

extension HTTPField.Name? {
    /// Asks for a part of a page alone: the name of its class, and then the fields that the reader has reached.
    fileprivate static let part = HTTPField.Name("X-Part")
}
