import GatehouseHTML
import GatehousePlatform

/// A field of a form, with what was typed and what is wrong with it.
struct Field: Sendable {
    enum Kind: Sendable {
        case text, password, number, time, lines, choice([Option]), zone(none: String), check, hidden
    }

    /// What a phone's keyboard offers.
    enum Keyboard: Sendable {
        case text
        /// Letters and digits, without a capital letter at the beginning: for a name or a code.
        case name
        case digits
    }

    struct Option: Sendable {
        let value: String
        let text: String
        /// The heading under which it stands with the options before and after that have the same.
        var group: String?

        init(_ value: String, _ text: String, group: String? = nil) {
            self.value = value
            self.text = text
            self.group = group
        }
    }

    let name: String
    let label: String
    var kind: Kind
    var value: String
    var help: String?
    var problem: String?
    var isRequired = false
    /// Whether the browser sends the form without it all the same, because something else of the form can stand for it.
    var isLeftToServer = false
    var limit: Int?
    /// The purpose for a browser's and a password manager's memory (WCAG 1.3.5).
    var autocomplete: String?
    var keyboard: Keyboard
    var hasFocus = false
    /// Whether the script fills in what the browser knows.
    var hasBrowserValue = false
    /// Whether it takes JSON, a key or pairs, which are read letter by letter.
    var isCode = false
    var arrangement = Arrangement.line
    /// What tells its id from that of the same field in another form of the page.
    var mark: String?

    /// How it stands among the fields before and after, as ``InputField/Arrangement-swift.enum`` has it.
    enum Arrangement: Sendable, Hashable {
        case line, half
        case folded(String)
    }

    init(
        _ name: String, _ label: String, _ kind: Kind = .text, value: String = "", help: String? = nil,
        isRequired: Bool = false, limit: Int? = nil, autocomplete: String? = nil, keyboard: Keyboard = .text
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.value = value
        self.help = help
        self.isRequired = isRequired
        self.limit = limit
        self.autocomplete = autocomplete
        self.keyboard = keyboard
    }
}

extension Field {
    var isSecret: Bool { if case .password = kind { true } else { false } }

    /// What a browser sends of it, if nobody changes it.
    var sentValue: String {
        switch kind {
        case .choice(let options) where !options.contains { $0.value == value }: options.first?.value ?? ""
        case .check: value.isEmpty ? "" : "on"
        default: value
        }
    }
}

extension Field {
    /// A code of the second factor. A recovery code takes its place, so a phone offers letters as well.
    static func proofCode(_ words: Words) -> Field {
        Field(
            "code", words("sign-in.code"), help: words("sign-in.code-help"), isRequired: true, limit: 40,
            autocomplete: "one-time-code", keyboard: .name)
    }

    /// A code of a new second factor.
    static func newCode(_ name: String, _ label: String, _ words: Words) -> Field {
        Field(
            name, label, help: words("enrol.code-help"), isRequired: true, limit: 40, autocomplete: "one-time-code",
            keyboard: .digits)
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
                .required(if: isRequired && !isLeftToServer), .ariaDescribedby(described),
                .ariaInvalid(if: problem != nil), text: value)
        case .choice(let options):
            select(.id(id), .name(name), .ariaDescribedby(described)) {
                for choice in options where choice.group == nil { self.option(choice) }
                for group in groups(of: options) {
                    HTML.element("optgroup", Attribute("label", group)) {
                        for choice in options where choice.group == group { self.option(choice) }
                    }
                }
            }
        case .zone(let none): zones(none)
        case .text: input("text")
        case .password: input("password")
        case .number: input("number")
        case .time: input("datetime-local")
        case .check, .hidden: HTML()
        }
    }

    /// Every time zone, by continent. The script takes the browser's where none is chosen.
    private func zones(_ none: String) -> HTML {
        select(
            .id(id), .name(name), .ariaDescribedby(described), .ariaInvalid(if: problem != nil),
            Attribute("data-zone", if: hasBrowserValue)
        ) {
            option(.value("")) { none }
            option(.selected(if: value == "UTC")) { "UTC" }
            // A browser may know a zone by an older name.
            if value != "UTC", !Zone.names.contains(value), Zone(named: value) != nil {
                option(.selected(if: true)) { value }
            }
            for (continent, zones) in Self.continents {
                optgroup(Attribute("label", continent)) {
                    // An option without a value has that of its text. There are hundreds of them.
                    for zone in zones { option(.selected(if: zone == value)) { zone } }
                }
            }
        }
    }

    private static let continents: [(name: String, zones: [String])] = Dictionary(grouping: Zone.names) { zone in
        zone.parts(at: "/").first.map { String($0) } ?? zone
    }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }

    /// The headings of options, in their order.
    private func groups(of options: [Option]) -> [String] {
        options.compactMap(\.group).reduce(into: []) { groups, group in
            if groups.last != group { groups.append(group) }
        }
    }

    private func option(_ choice: Option) -> HTML {
        option(.value(choice.value), .selected(if: choice.value == value)) { choice.text }
    }

    private var capitals: String? { keyboard == .text ? nil : "none" }
    private var inputMode: String? { keyboard == .digits ? "numeric" : nil }

    private func input(_ type: String) -> HTML {
        input(
            .type(type), .id(id), .name(name), .value(value), .maxlength(limit), .required(if: isRequired),
            .autocomplete(autocomplete), Attribute("autocapitalize", capitals), Attribute("inputmode", inputMode),
            .ariaDescribedby(described),
            .ariaInvalid(if: problem != nil), .autofocus(if: hasFocus))
    }
}

extension Markup {
    func hidden(_ name: String, _ value: String) -> HTML { input(.type("hidden"), .name(name), .value(value)) }

    @HTMLBuilder func all(_ fields: [Field]) -> HTML {
        for field in fields { field }
    }

    /// The fields as they are arranged. What is folded is open if something is typed or wrong in it.
    @HTMLBuilder func arranged(_ fields: [Field]) -> HTML {
        for run in fields.runs {
            switch run.first?.arrangement {
            case .half?: div(.class("fields")) { all(run) }
            case .folded(let heading)?:
                details(.open(if: run.contains { !$0.value.isEmpty || $0.problem != nil })) {
                    summary { heading }
                    all(run)
                }
            default: all(run)
            }
        }
    }
}

extension [Field] {
    /// Neighbours with the same arrangement.
    fileprivate var runs: [[Field]] {
        reduce(into: []) { runs, field in
            if runs.last?.last?.arrangement == field.arrangement {
                runs[runs.count - 1].append(field)
            } else {
                runs.append([field])
            }
        }
    }
}
