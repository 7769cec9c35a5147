import Crypto
import GatehouseHTML
import GatehousePlatform

/// A page outside of the operators' console: one column, no script, and the style sheet inside, because it has to look right without a
/// second request.
package struct PlainPage: Sendable {
    /// The tokens and elements that the page shares with the console, as UTF-8.
    package static let sharedStyle = EmbeddedFile.sharedStyle.bytes

    private static let style = String(decoding: sharedStyle + EmbeddedFile.pageStyle.bytes, as: UTF8.self)

    /// The style sheet as a source of a content security policy, such as `'sha256-…'`.
    package static let styleSource = "'sha256-\(Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString())'"

    /// How wide the column is, and where it stands.
    package enum Form: String, Sendable {
        /// A message in the middle of the window.
        case message
        case narrow
        case wide
    }

    private let title: String
    private let language: String
    private let form: Form
    private let brand: String
    private let content: String

    /// - Parameters:
    ///   - language: of the page's texts, as BCP 47 tag.
    ///   - brand: what stands above the heading.
    ///   - content: HTML; what it shows of others is escaped by ``HTML/escaped(_:)``.
    package init(
        _ title: String, language: String = "en", form: Form = .narrow, brand: String = "Gatehouse", content: String
    ) {
        self.title = title
        self.language = language
        self.form = form
        self.brand = brand
        self.content = content
    }

    package var html: String {
        """
        <!doctype html>
        <html lang="\(HTML.escaped(language))">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>\(HTML.escaped(title))</title>
        <style>\(Self.style)</style>
        </head>
        <body class="plain \(form.rawValue)">
        <main>
        <p class="brand">\(HTML.escaped(brand))</p>
        <h1>\(HTML.escaped(title))</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }
}
