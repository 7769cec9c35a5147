import GatehouseHTML

/// A field of a form, with what was typed and what is wrong with it.
struct Field: Sendable {
    enum Kind: Sendable {
        case text, password, number, time, lines, choice([Option]), check, hidden
    }

    struct Option: Sendable {
        let value: String
        let text: String

        init(_ value: String, _ text: String) {
            self.value = value
            self.text = text
        }
    }

    let name: String
    let label: String
    var kind: Kind
    var value: String
    var help: String?
    var problem: String?
    var isRequired = false
    var limit: Int?
    /// The purpose for a browser's and a password manager's memory (WCAG 1.3.5).
    var autocomplete: String?
    var hasFocus = false
    /// Whether it takes JSON, a key or pairs, which are read letter by letter.
    var isCode = false
    /// What tells its id from that of the same field in another form of the page.
    var mark: String?

    init(
        _ name: String, _ label: String, _ kind: Kind = .text, value: String = "", help: String? = nil,
        isRequired: Bool = false, limit: Int? = nil, autocomplete: String? = nil
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.value = value
        self.help = help
        self.isRequired = isRequired
        self.limit = limit
        self.autocomplete = autocomplete
    }
}

extension Field: HTMLPart, Markup {
    @HTMLBuilder var html: HTML {
        if case .hidden = kind {
            hidden(name, value)
        } else {
            div(.class("field", problem == nil ? nil : "wrong")) {
                if case .check = kind {
                    checkbox
                } else {
                    heading
                    control
                }
                if let help { p(.class("help"), .id("h-\(key)")) { help } }
                if let problem { p(.class("problem"), .id("p-\(key)")) { problem } }
            }
        }
    }

    /// The end of its ids.
    private var key: String { mark.map { "\(name)-\($0)" } ?? name }

    private var id: String { "f-\(key)" }

    /// The ids of what explains the field, for assistive technology.
    private var described: String? {
        let ids = [help.map { _ in "h-\(key)" }, problem.map { _ in "p-\(key)" }].compactMap { $0 }
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }

    private var heading: HTML {
        label(.for(id)) {
            self.label
            if isRequired {
                " "
                span(.class("required"), .ariaHidden) { "*" }
            }
        }
    }

    private var checkbox: HTML {
        label(.class("check")) {
            input(
                .type("checkbox"), .id(id), .name(name), .value("on"), .checked(if: !value.isEmpty),
                .ariaDescribedby(described))
            " \(self.label)"
        }
    }

    @HTMLBuilder private var control: HTML {
        switch kind {
        case .lines:
            textarea(
                .class(isCode ? "code" : nil), .id(id), .name(name), Attribute("rows", "4"), .maxlength(limit),
                .required(if: isRequired), .ariaDescribedby(described), .ariaInvalid(if: problem != nil), text: value)
        case .choice(let options):
            select(.id(id), .name(name), .ariaDescribedby(described)) {
                for choice in options {
                    option(.value(choice.value), .selected(if: choice.value == value)) { choice.text }
                }
            }
        case .text: input("text")
        case .password: input("password")
        case .number: input("number")
        case .time: input("datetime-local")
        case .check, .hidden: HTML()
        }
    }

    private func input(_ type: String) -> HTML {
        input(
            .type(type), .id(id), .name(name), .value(value), .maxlength(limit), .required(if: isRequired),
            .autocomplete(autocomplete), .ariaDescribedby(described), .ariaInvalid(if: problem != nil),
            .autofocus(if: hasFocus))
    }
}

extension Markup {
    func hidden(_ name: String, _ value: String) -> HTML { input(.type("hidden"), .name(name), .value(value)) }

    @HTMLBuilder func all(_ fields: [Field]) -> HTML {
        for field in fields { field }
    }
}
