import Mustache

/// A page's or a part's template, in Mustache. It stands beside the values that fill it.
struct Template: Sendable {
    let name: String
    let text: String

    init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}

/// Every template of the console. This is the only way to make one, because each needs our escaping in front, partials too.
struct Templates: Sendable {
    private let library: MustacheLibrary

    /// - Throws: the parser's error for a template that is not well-formed.
    init(_ templates: [Template]) throws {
        HTMLText.register()
        var library = MustacheLibrary()
        for template in templates {
            try library.register("{{% CONTENT_TYPE:\(HTMLText.name)}}" + template.text, named: template.name)
        }
        self.library = library
    }

    func render(_ name: String, _ values: [String: Any]) throws -> String {
        guard let text = library.render(values, withTemplate: name) else { throw MissingTemplate(name: name) }
        return text
    }

    struct MissingTemplate: Error {
        let name: String
    }
}
