import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// An action whose form or answer the console makes, because it depends on more than inputs can say.
protocol OwnForm: OperatorAction {
    /// How long a field of its form may be.
    static var fieldBytes: Int { get }
    static func fields(_ page: PageRequest, _ values: FormValues) async throws -> [Field]
    /// Hides the secrets of a form in one sealed field, so that no page shows them.
    static func sealed(_ values: FormValues, _ page: PageRequest) async throws -> FormValues
    static func action(_ page: PageRequest, _ values: FormValues) async throws -> Self
    /// The field about which a parameter is that the rules refuse; nil if its name says it.
    static func field(about parameter: String, among fields: [String]) -> String?
    /// Does what was confirmed, with an answer of its own; nil for what is done and answered like every action.
    static func perform(
        _ page: PageRequest, _ form: FormValues, _ confirmation: ActionConfirmation
    ) async throws -> Response?
}

extension OwnForm {
    static var fieldBytes: Int { FormValues.fieldBytes }
    static func fields(_ page: PageRequest, _ values: FormValues) async throws -> [Field] { [] }
    static func sealed(_ values: FormValues, _ page: PageRequest) async throws -> FormValues { values }
    static func field(about parameter: String, among fields: [String]) -> String? { nil }
    static func perform(
        _ page: PageRequest, _ form: FormValues, _ confirmation: ActionConfirmation
    ) async throws -> Response? { nil }
}

// Between an operator's action and its form.
extension PageRequest {
    /// What a form is about.
    func target(of action: any OperatorAction.Type, _ values: FormValues) throws -> ActionTarget {
        try action.target(InputValues(values.all))
    }

    /// What has to be chosen.
    func fields(of action: any OperatorAction.Type, _ values: FormValues) async throws -> [Field] {
        if let own = action as? any OwnForm.Type { return try await own.fields(self, values) }
        return try await inputFields(of: action, values)
    }

    private func inputFields<A: OperatorAction>(of type: A.Type, _ values: FormValues) async throws -> [Field] {
        try await saying {
            let inputs = inputs(values)
            let action = try A(begun: A.target(inputs), inputs, operatorContext())
            return try await run(ReadForm(of: action, in: Words.languages)).map(field)
        }
    }

    /// A form with its secrets in one sealed field, and with what the server chooses for the person.
    func sealed(for action: any OperatorAction.Type, _ values: FormValues) async throws -> FormValues {
        if let own = action as? any OwnForm.Type { return try await own.sealed(values, self) }
        return try await chosen(for: action, sealingSecrets(in: values))
    }

    /// What is wrong with the values is said afterwards.
    private func chosen<A: OperatorAction>(for type: A.Type, _ values: FormValues) async throws -> FormValues {
        guard A.choosing != nil, let action = try? await action(type, values) else { return values }
        var values = values
        for chosen in try await run(.chosen(for: action)) { values[chosen.key] = chosen.value }
        return values
    }

    /// The action that a form describes.
    func action<A: OperatorAction>(_ type: A.Type, _ values: FormValues) async throws -> A {
        if let own = type as? any OwnForm.Type {
            guard let action = try await own.action(self, values) as? A else { throw InputProblems() }
            return action
        }
        let inputs = inputs(values)
        return try A(on: A.target(inputs), inputs, operatorContext())
    }

    /// What would happen.
    ///
    /// - Throws: ``InputProblems`` for what can't be done as it was typed.
    func preview<A: OperatorAction>(of type: A.Type, _ values: FormValues) async throws -> Preview {
        try await saying {
            try await run(ReadPreview(of: action(type, values), in: Words.languages))
        }
    }

    private func inputs(_ values: FormValues) -> InputValues {
        let secrets = secretChanges(in: values).values.map { ("\(Self.secretMark)\($0.key)", $0.value) }
        return InputValues(values.all.merging(secrets) { $1 }) { [local] text, second in
            do {
                return try local.moment(from: text, second: second)
            } catch let problem as TimeProblem {
                throw InputProblems(["": Phrase("problem.time.\(problem.rawValue)")])
            }
        }
    }

    /// Does something, and says in the person's language why it can't be done, whatever is chosen.
    func saying<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as ImpossibleAction {
            let text = text(error.phrase)
            if error.isForbidden { throw Refusal(.userPermission, text, httpStatus: 403) }
            if error.isMissing { throw Refusal(.notSupported, text, httpStatus: 404) }
            throw Refusal.parameter(error.parameter, text)
        }
    }

    private func field(_ field: InputField) -> Field {
        let kind: Field.Kind =
            switch field.kind {
            case .text: .text
            case .lines: .lines
            case .time: .time
            case .number: .number
            case .check: .check
            case .hidden: .hidden
            case .secret: .password
            case .choice(let options): .choice(options.map { Field.Option($0.value, text($0.label)) })
            }
        var shown = Field(
            field.name, text(field.label), kind, value: field.moment.map(local.input) ?? field.value,
            help: field.help.map(text),
            isRequired: field.isRequired, limit: field.limit)
        if field.isName { shown.keyboard = .name }
        shown.arrangement =
            switch field.arrangement {
            case .line: .line
            case .half: .half
            case .folded(let heading): .folded(text(heading))
            }
        return shown
    }

    /// A table in the person's language.
    ///
    /// - Parameter actions: what can be done with each row.
    func table(
        _ table: Preview.Table, empty: String = "", actions: (_ row: Int) -> [Link] = { _ in [] }
    ) -> Table {
        let rows = table.rows.enumerated().map { TableRow($1.map(cell), actions: actions($0)) }
        return Table(text(table.caption), table.columns.map(text), rows, empty: empty).wrapping
    }

    private func cell(_ cell: Preview.Cell) -> Cell {
        switch cell {
        case .member(let user, let isKnown): .code(user.rawValue, link: isKnown ? memberLink(user) : nil)
        case .state(let status): status.map(memberState) ?? Cell("–")
        case .mark(let phrase, let mood): Cell(text(phrase), badge: mood.rawValue)
        case .text(let phrase, let note): Cell(text(phrase), note: note.map(text))
        case .providers(let providers):
            Cell(providers.isEmpty ? "–" : providers.map { providerLabel($0.rawValue) }.joined(separator: ", "))
        case .value(let value): Cell(text(value))
        }
    }

    /// The page of what an action is about, or of the action's section.
    func place(of action: any OperatorAction.Type, _ values: FormValues) throws -> String {
        if !action.about.leadsToSection {
            switch try target(of: action, values) {
            case .member(let user): return memberLink(user)
            case .provider(let provider): return providerAddress(provider)
            default: break
            }
        }
        return address(action.about.sectionPath)
    }

    /// Where *Cancel* leads.
    func cancelAddress(of action: any OperatorAction.Type, _ values: FormValues) throws -> String {
        try place(of: action, values) + (action.about.anchor.map { "#\($0)" } ?? "")
    }

    /// A sentence in the person's language, with times in the person's zone.
    func text(_ phrase: Phrase) -> String { formatter.text(phrase) }

    func text(_ value: Phrase.Value) -> String { formatter.text(value) }

    private var formatter: PhraseFormatter { PhraseFormatter(words: words, local: local) }
}

extension Console {
    /// Links that fill in a form with what is wanted most often, by the name of the form's action.
    static let presets: [String: @Sendable (PageRequest) -> [Link]] = [
        PlanMaintenance.about.name: { $0.maintenancePresets() }
    ]
}

extension PageRequest {
    /// The maintenance windows that are planned most often.
    fileprivate func maintenancePresets() -> [Link] {
        func link(_ key: String, _ begin: String?, _ end: String) -> Link {
            let text = words(key, ["zone": local.zoneName(at: moment)])
            let fields = ["begin": begin, "end": end].compactMapValues(\.self)
            return Link(text, actionAddress(PlanMaintenance.self, fields))
        }
        let soon = moment.adding(seconds: 600)
        return [
            local.next(hour: 3).map {
                link("maintenance.tonight", local.input($0), local.input($0.adding(seconds: 7_200)))
            },
            link("maintenance.soon", local.input(soon), local.input(soon.adding(seconds: 3_600))),
            link("maintenance.at-once", nil, local.input(moment.adding(seconds: 1_800))),
        ].compactMap(\.self)
    }
}

extension OperatorActionAbout {
    /// The end of the address of its section's page.
    var sectionPath: String { ["overview", "apps"].contains(section) ? "" : section }
}

extension ActionTarget {
    /// The fields of an address that name it.
    var fields: [String: String] {
        switch self {
        case .newApp(let id): ["appId": id.rawValue]
        case .member(let user): ["user": user.rawValue]
        case .provider(let provider): ["provider": provider.rawValue]
        case .person(let name): ["name": name]
        case .banTemplate(let code): ["template": String(code)]
        case .reply(let id): ["reply": String(id)]
        case .testDevice(let key): ["device": key.rawValue]
        case .job(let id): ["job": id]
        case .app, .clientRules, .signingKeys, .secrets, .members, .alertReceivers, .legacySources, .imports, .server:
            [:]
        }
    }
}
