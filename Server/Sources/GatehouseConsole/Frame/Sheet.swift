/// A part of a page about settings: a heading, sentences, facts, a table, and what can be done.
struct Sheet: Sendable, MustacheParent {
    var heading: String
    var lines: [String] = []
    /// A state in one line, above the rest.
    var verdict: Cell?
    var facts: [Fact] = []
    var table: Table?
    var actions: [Link] = []

    init(_ heading: String, lines: [String] = []) {
        self.heading = heading
        self.lines = lines
    }

    func child(named name: String) -> Any? {
        switch name {
        case "heading": heading
        case "lines": lines
        case "verdict": verdict ?? false
        case "facts": facts
        case "hasFacts": !facts.isEmpty
        case "table": table ?? false
        case "actions": actions
        case "hasActions": !actions.isEmpty
        default: nil
        }
    }

    static let templates = [
        Template(
            "sheet",
            """
            <section class="card sheet"><h2>{{heading}}</h2>{{#verdict}}<p class="verdict">{{> cell}}</p>{{/verdict}}{{#lines}}<p>{{.}}</p>{{/lines}}{{#hasFacts}}{{> facts}}{{/hasFacts}}{{#table}}{{> table}}{{/table}}{{#hasActions}}<div class="buttons">{{#actions}}<a class="button{{#style}} {{.}}{{/style}}" href="{{address}}">{{text}}</a>{{/actions}}</div>{{/hasActions}}</section>
            """),
        Template(
            "sheets",
            """
            {{<layout}}{{$content}}
            {{#sheets}}
            {{> sheet}}
            {{/sheets}}
            {{/content}}{{/layout}}
            """),
    ]
}

extension Visit {
    /// The button of a change; nil for a person who may not make it.
    func offer(_ name: String, _ fields: [String: String] = [:], style: String? = nil, text: String? = nil) -> Link? {
        guard let kind = console.deeds[name], role >= kind.role else { return nil }
        return Link(text ?? words("deed.\(name)"), deed(name, fields), style: style)
    }
}
