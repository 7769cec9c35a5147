/// A page's or a part's template, in Mustache. It stands beside the values that fill it.
struct Template: Sendable {
    let name: String
    let text: String

    init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}

/// Every template of the console.
struct Templates: Sendable {
    private let templates: [String: MustacheTemplate]

    /// - Throws: the parser's error for a template that is not well-formed.
    init(_ templates: [Template]) throws {
        self.templates = try templates.reduce(into: [:]) { $0[$1.name] = try MustacheTemplate($1.text) }
    }

    func render(_ name: String, _ values: [String: Any]) throws -> String {
        guard let template = templates[name] else { throw MissingTemplate(name: name) }
        var renderer = MustacheRenderer(templates: templates, values: values)
        renderer.render(template.tokens)
        return renderer.text
    }

    struct MissingTemplate: Error {
        let name: String
    }
}
