import GatehouseHTML

/// Writes a template with its values.
struct MustacheRenderer {
    let templates: [String: MustacheTemplate]
    /// The values around a place, the innermost last.
    private var values: [Any]
    /// What blocks hold, by who took the template in.
    private var blocks: [String: [MustacheTemplate.Token]] = [:]
    private(set) var text = ""

    init(templates: [String: MustacheTemplate], values: [String: Any]) {
        self.templates = templates
        self.values = [values]
    }

    mutating func render(_ tokens: [MustacheTemplate.Token]) {
        for token in tokens {
            switch token {
            case .text(let text): self.text += text
            case .value(let path): text += HTML.escaped(MustacheValue(value(at: path)).text)
            case .section(let path, let isInverted, let tokens):
                let value = MustacheValue(value(at: path))
                if isInverted { renderInverted(value, tokens) } else { renderSection(value, tokens) }
            case .block(let name, let tokens): render(blocks[name] ?? tokens)
            case .partial(let name, let own): renderPartial(name, own)
            }
        }
    }

    private mutating func renderSection(_ value: MustacheValue, _ tokens: [MustacheTemplate.Token]) {
        switch value {
        case .missing, .flag(false): break
        case .flag(true): render(tokens)
        case .list(let list): for item in list { render(tokens, inside: item) }
        case .value(let value): render(tokens, inside: value)
        }
    }

    private mutating func renderInverted(_ value: MustacheValue, _ tokens: [MustacheTemplate.Token]) {
        switch value {
        case .missing, .flag(false): render(tokens)
        case .list(let list): if list.isEmpty { render(tokens) }
        case .flag(true), .value: break
        }
    }

    private mutating func renderPartial(_ name: String, _ own: [String: [MustacheTemplate.Token]]) {
        guard let template = templates[name] else { return }
        let outer = blocks
        // What is further out decides, so that a page can fill a block of what its frame takes in.
        blocks.merge(own) { outer, _ in outer }
        render(template.tokens)
        blocks = outer
    }

    private mutating func render(_ tokens: [MustacheTemplate.Token], inside value: Any) {
        values.append(value)
        render(tokens)
        values.removeLast()
    }

    // MARK: Values

    /// The first name is looked for from the inside to the outside, the others in what it has found.
    private func value(at path: [String]) -> Any? {
        guard let first = path.first else { return values.last }
        for outer in values.reversed() {
            guard let found = Self.child(first, of: outer) else { continue }
            return path.dropFirst().reduce(found) { value, name in value.flatMap { Self.child(name, of: $0) } }
        }
        return nil
    }

    private static func child(_ name: String, of value: Any) -> Any? {
        (value as? any MustacheParent)?.child(named: name)
    }
}
