import GatehouseHTML
import GatehousePlatform

/// The little of CommonMark that the OpenAPI document's descriptions use: paragraphs, code and strong text.
enum DocumentText {
    static func paragraphs(_ text: String?) -> String {
        (text ?? "").components(separatedBy: "\n\n").map { $0.trimmingWhitespace() }
            .filter { !$0.isEmpty }.map { "<p>\(inline($0))</p>\n" }.joined()
    }

    static func inline(_ text: String?) -> String {
        // Every second part stands between the marks.
        (text ?? "").components(separatedBy: "`").enumerated().map { place, part in
            place.isMultiple(of: 2) ? strong(part) : "<code>\(HTML.escaped(part))</code>"
        }.joined()
    }

    private static func strong(_ text: String) -> String {
        text.components(separatedBy: "**").enumerated().map { place, part in
            place.isMultiple(of: 2) ? HTML.escaped(part) : "<strong>\(HTML.escaped(part))</strong>"
        }.joined()
    }
}
