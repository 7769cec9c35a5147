import GatehouseLook
import Mustache

/// The content type of every template. It escapes by Unicode scalar: the library's own looks up whole characters, and a quote that is
/// followed by a combining mark is another character, which it lets through as it is.
struct HTMLText: MustacheContentType {
    static let name = "GATEHOUSE_HTML"

    /// Makes the type known to the library. Every template names it.
    static func register() { MustacheContentTypes.register(HTMLText(), named: name) }

    func escapeText(_ text: String) -> String { HTML.escaped(text) }
}
