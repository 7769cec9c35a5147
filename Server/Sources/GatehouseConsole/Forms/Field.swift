/// A field of a form, with what was typed and what is wrong with it.
struct Field: Sendable, MustacheParent {
    enum Kind: Sendable {
        case text, password, number, time, lines, choice([Option]), check, hidden
    }

    struct Option: Sendable, MustacheParent {
        let value: String
        let text: String

        init(_ value: String, _ text: String) {
            self.value = value
            self.text = text
        }

        func child(named name: String) -> Any? {
            switch name {
            case "value": value
            case "text": text
            default: nil
            }
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

    private var id: String { mark.map { "\(name)-\($0)" } ?? name }

    private var inputType: String? {
        switch kind {
        case .text: "text"
        case .password: "password"
        case .number: "number"
        case .time: "datetime-local"
        default: nil
        }
    }

    func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "id": "f-\(id)"
        case "helpId": "h-\(id)"
        case "problemId": "p-\(id)"
        case "label": label
        case "value": value
        // A section looks further up for what is nil, so what is missing here is false.
        case "help": help ?? false
        case "problem": problem ?? false
        case "isRequired": isRequired
        case "limit": limit ?? false
        case "autocomplete": autocomplete ?? false
        case "hasFocus": hasFocus
        case "type": inputType ?? false
        case "isCode": isCode
        case "isLines": if case .lines = kind { true } else { false }
        case "isCheck": if case .check = kind { true } else { false }
        case "isChecked": !value.isEmpty
        case "isHidden": if case .hidden = kind { true } else { false }
        case "choice": if case .choice(let options) = kind { Choices(options: options, value: value) } else { false }
        case "described": described ?? false
        default: nil
        }
    }

    /// The ids of what explains the field, for assistive technology.
    private var described: String? {
        let ids = [help.map { _ in "h-\(id)" }, problem.map { _ in "p-\(id)" }].compactMap { $0 }
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }

    private struct Choices: MustacheParent {
        let options: [Option]
        let value: String

        func child(named name: String) -> Any? {
            name == "options" ? options.map { Choice(option: $0, value: value) } : nil
        }
    }

    private struct Choice: MustacheParent {
        let option: Option
        let value: String

        func child(named name: String) -> Any? {
            name == "isSelected" ? option.value == value : option.child(named: name)
        }
    }

    static let template = Template(
        "field",
        """
        {{#isHidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/isHidden}}{{^isHidden}}<div class="field{{#problem}} wrong{{/problem}}">
        {{#isCheck}}<label class="check"><input type="checkbox" id="{{id}}" name="{{name}}" value="on"{{#isChecked}} checked{{/isChecked}}{{#described}} aria-describedby="{{.}}"{{/described}}> {{label}}</label>
        {{/isCheck}}{{^isCheck}}<label for="{{id}}">{{label}}{{#isRequired}} <span class="required" aria-hidden="true">*</span>{{/isRequired}}</label>
        {{/isCheck}}{{#type}}<input type="{{.}}" id="{{id}}" name="{{name}}" value="{{value}}"{{#limit}} maxlength="{{.}}"{{/limit}}{{#isRequired}} required{{/isRequired}}{{#autocomplete}} autocomplete="{{.}}"{{/autocomplete}}{{#described}} aria-describedby="{{.}}"{{/described}}{{#problem}} aria-invalid="true"{{/problem}}{{#hasFocus}} autofocus{{/hasFocus}}>
        {{/type}}{{#isLines}}<textarea{{#isCode}} class="code"{{/isCode}} id="{{id}}" name="{{name}}" rows="4"{{#limit}} maxlength="{{.}}"{{/limit}}{{#isRequired}} required{{/isRequired}}{{#described}} aria-describedby="{{.}}"{{/described}}{{#problem}} aria-invalid="true"{{/problem}}>
        {{value}}</textarea>
        {{/isLines}}{{#choice}}<select id="{{id}}" name="{{name}}"{{#described}} aria-describedby="{{.}}"{{/described}}>{{#options}}<option value="{{value}}"{{#isSelected}} selected{{/isSelected}}>{{text}}</option>{{/options}}</select>
        {{/choice}}
        {{#help}}<p class="help" id="{{helpId}}">{{.}}</p>{{/help}}
        {{#problem}}<p class="problem" id="{{problemId}}">{{.}}</p>{{/problem}}
        </div>{{/isHidden}}
        """)
}
