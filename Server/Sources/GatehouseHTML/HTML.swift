/// A part of a page: elements and text. Text is escaped when the page is written, and there is no way to write it as it is.
///
/// A type that writes HTML conforms to ``Markup``, which gives it a method for each element:
///
///     div(.class("field"), .id(id)) {
///         label(.for(name)) { words("sign-in.name") }
///         if let help { p(.class("help")) { help } }
///     }
package struct HTML: Sendable {
    /// How the end of an element is written.
    package enum End: Sendable {
        case tag
        /// HTML knows elements that never hold anything.
        case none
        /// An element of SVG that holds nothing.
        case slash
    }

    private enum Node: Sendable {
        case text(String)
        case element(StaticString, [Attribute], [Node], End)
    }

    private let nodes: [Node]

    private init(nodes: [Node]) {
        self.nodes = nodes
    }

    /// Parts one after another.
    package init(_ parts: [HTML] = []) {
        nodes = parts.flatMap(\.nodes)
    }

    package static func text(_ text: String) -> HTML { HTML(nodes: [.text(text)]) }

    /// An element. Its name is written in code, and can't come from a value.
    package static func element(
        _ name: StaticString, _ attributes: [Attribute] = [], _ content: HTML = HTML(), end: End = .tag
    ) -> HTML {
        HTML(nodes: [.element(name, attributes, content.nodes, end)])
    }

    /// The same with its content in braces.
    package static func element(
        _ name: StaticString, _ attributes: Attribute..., @HTMLBuilder content: () -> HTML
    ) -> HTML {
        element(name, attributes, content())
    }

    // MARK: Writing

    package var bytes: [UInt8] {
        var html = HTMLBytes()
        Self.write(nodes, to: &html)
        return html.bytes
    }

    /// The bytes of a whole page, whose outermost element this is.
    package var document: [UInt8] {
        var html = HTMLBytes()
        html.append("<!doctype html>")
        Self.write(nodes, to: &html)
        return html.bytes
    }

    private static func write(_ nodes: [Node], to html: inout HTMLBytes) {
        for node in nodes {
            switch node {
            case .text(let text): html.append(escaping: text)
            case .element(let name, let attributes, let content, let end):
                html.append("<")
                html.append(name)
                for attribute in attributes { attribute.write(to: &html) }
                html.append(end == .slash ? "/>" : ">")
                guard end == .tag else { continue }
                write(content, to: &html)
                html.append("</")
                html.append(name)
                html.append(">")
            }
        }
    }
}

/// A value that knows how a page shows it, such as a table or a field of a form.
package protocol HTMLPart {
    @HTMLBuilder var html: HTML { get }
}

/// Puts together what stands in the braces of an element: elements, parts and text, with `if`, `switch` and `for`.
@resultBuilder package enum HTMLBuilder {
    package static func buildExpression(_ html: HTML) -> HTML { html }
    package static func buildExpression(_ text: String) -> HTML { .text(text) }
    package static func buildExpression(_ part: some HTMLPart) -> HTML { part.html }
    package static func buildBlock(_ parts: HTML...) -> HTML { HTML(parts) }
    package static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
    package static func buildEither(first part: HTML) -> HTML { part }
    package static func buildEither(second part: HTML) -> HTML { part }
    package static func buildArray(_ parts: [HTML]) -> HTML { HTML(parts) }
}

/// The bytes of a page while it is written.
struct HTMLBytes {
    private(set) var bytes: [UInt8] = []

    /// Appends what the code says.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a text with everything replaced that could end an element or an attribute's value.
    ///
    /// It looks at Unicode scalars: a quote that is followed by a combining mark is another `Character` than a quote, but the same to a
    /// browser. Controls that would hide or reorder text are shown as their numbers (LOG-2). A back-tick and an equals sign mean something
    /// only in a value without quotes, and ``Attribute`` writes none.
    mutating func append(escaping text: String) {
        guard !text.utf8.allSatisfy(Self.isPlain) else {
            bytes.append(contentsOf: text.utf8)
            return
        }
        for scalar in text.unicodeScalars { append(escaping: scalar) }
    }

    /// Whether a byte is a scalar of its own that is written as it is. Most texts of a page have no other.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
        default: (0x20..<0x7f).contains(byte)
        }
    }

    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "&": append("&amp;")
        case "<": append("&lt;")
        case ">": append("&gt;")
        case "\"": append("&quot;")
        case "'": append("&#39;")
        case "\n", "\t": bytes.append(contentsOf: scalar.utf8)
        case "\u{00}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{061c}", "\u{200e}"..."\u{200f}", "\u{2028}"..."\u{202e}",
            "\u{2066}"..."\u{2069}", "\u{feff}":
            let digits = String(scalar.value, radix: 16, uppercase: true)
            append("⟨U+")
            bytes.append(contentsOf: (String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
            append("⟩")
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }
}

extension HTML {
    /// A text as part of a page that is written as a string.
    package static func escaped(_ text: String) -> String {
        var html = HTMLBytes()
        html.append(escaping: text)
        return String(decoding: html.bytes, as: UTF8.self)
    }
}
