/// A template that has been read: https://mustache.github.io/mustache.5.html, as far as the console's templates use it.
///
/// There are values, sections and inverted sections, partials, and partials with blocks. All text is escaped: there is no way to write it as
/// it is. Lines that hold nothing but a tag leave no empty line; the indentation of a partial is not repeated, which means nothing in HTML.
struct MustacheTemplate: Sendable {
    indirect enum Token: Sendable {
        case text(String)
        /// The steps from name to name; none for the value itself, `{{.}}`.
        case value(path: [String])
        case section(path: [String], isInverted: Bool, tokens: [Token])
        /// Another template, with what its blocks hold here.
        case partial(name: String, blocks: [String: [Token]])
        /// A place that who takes this template in may fill, and what stands there otherwise.
        case block(name: String, tokens: [Token])
    }

    /// Why a text is no template.
    enum Problem: Error, Equatable {
        case unfinishedTag
        case notATag(String)
        /// A section that ends with another name, or not at all.
        case unfinishedSection(String)
        /// An end without a beginning.
        case endOfNothing(String)
        /// Between a partial with blocks and its end there may be blocks only.
        case notABlock(in: String)
    }

    let tokens: [Token]

    init(_ text: String) throws(Problem) {
        var parser = MustacheParser(text)
        tokens = try parser.template()
    }
}
