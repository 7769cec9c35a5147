import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// Makes the console's page and result of an operator's action that describes itself.
extension DeedKind {
    init<A: OperatorAction>(_ action: A.Type) {
        let about = A.about
        self.init(
            name: about.name, level: about.step, role: about.role, section: about.section,
            undo: about.undo, undoesAtOnce: A.undoesExactly,
            isOfServer: about.isOfServer, target: { try A.target(InputValues($0.all)) },
            fields: { page, values in
                let action = try await page.saying {
                    let inputs = page.inputs(values)
                    return try A(begun: A.target(inputs), inputs, page.operatorContext())
                }
                return try await page.saying { try await page.run(ReadForm(of: action, in: Words.languages)) }.map(
                    page.field)
            },
            presets: Console.presets[about.name] ?? { _ in [] },
            seal: { page, values in
                let values = try page.sealingSecrets(in: values)
                return A.choosing == nil ? values : try await page.choosing(for: A.self, values)
            },
            preview: { page, values in
                let preview = try await page.saying {
                    try await page.run(ReadPreview(of: page.action(A.self, values), in: Words.languages))
                }
                return try page.preview(preview, of: A.self, values)
            },
            perform: { page, values, call in
                let outcome = try await page.saying { try await call.run(page.action(A.self, values)) }
                let result = A.result(outcome)
                // The other member may need help as well.
                let query = result.other.map { "?other=\(FormValues.encoded($0.rawValue))" } ?? ""
                let start = result.app.map { "\(Console.prefix)/apps/\(FormValues.encoded($0.rawValue))/start" }
                return DeedResult(
                    try start ?? page.place(of: A.self, values) + query,
                    secrets: result.secrets.map { Fact(page.text($0.label), .code($0.text)) }
                        + [result.enrolment.map(page.link)].compactMap(\.self),
                    secretsEnd: result.secretsEnd)
            })
    }
}

extension PageRequest {
    fileprivate func action<A: OperatorAction>(_ type: A.Type, _ values: FormValues) throws -> A {
        let inputs = inputs(values)
        return try A(on: A.target(inputs), inputs, operatorContext())
    }

    /// The values with what the server chooses for the person. What is wrong with them is said afterwards.
    fileprivate func choosing<A: OperatorAction>(for type: A.Type, _ values: FormValues) async throws -> FormValues {
        guard let action = try? action(A.self, values) else { return values }
        var values = values
        for chosen in try await run(.chosen(for: action)) { values[chosen.key] = chosen.value }
        return values
    }

    /// The link with which an operator enrols.
    fileprivate func link(of token: OperatorToken) -> Fact {
        let origin = request.headers[.origin] ?? ""
        return Fact(words("operators.enrol-link"), .code("\(origin)\(Console.prefix)/enrol/\(token.text)"))
    }

    fileprivate func inputs(_ values: FormValues) -> InputValues {
        let secrets = secretChanges(in: values).values.map { ("\(Self.secretMark)\($0.key)", $0.value) }
        return InputValues(values.all.merging(secrets) { $1 }) { [local] text, second in
            do {
                return try local.moment(from: text, second: second)
            } catch let problem as TimeProblem {
                throw InputProblems(["": Phrase("problem.time.\(problem.rawValue)")])
            }
        }
    }

    /// Does something, and says in the person's language why it can't be done.
    fileprivate func saying<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw said(error) }
    }

    private func said(_ error: any Error) -> any Error {
        switch error {
        case let error as InputProblems: FormProblems(error.phrases.mapValues(text))
        case let error as ImpossibleAction where error.isForbidden:
            Refusal(.userPermission, text(error.phrase), httpStatus: 403)
        case let error as ImpossibleAction where error.isMissing:
            Refusal(.notSupported, text(error.phrase), httpStatus: 404)
        case let error as ImpossibleAction: Refusal.parameter(error.parameter, text(error.phrase))
        default: error
        }
    }

    fileprivate func field(_ field: InputField) -> Field {
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

    fileprivate func preview<A: OperatorAction>(
        _ preview: Preview, of action: A.Type, _ values: FormValues
    ) throws -> DeedPreview {
        let about = A.about
        var shown = DeedPreview(
            text(preview.title), preview.consequences.map(text), undo: text(preview.undo),
            button: preview.button.map(text) ?? words("deed.\(about.name)"),
            cancel: try place(of: action, values) + (about.anchor.map { "#\($0)" } ?? ""),
            isDangerous: preview.isDangerous)
        shown.playerReads = preview.playerReads.map { read in
            (read.language == Preview.everyLanguage ? words("frame.all") : read.language, read.text)
        }
        shown.typed = preview.typed
        shown.level = preview.step
        shown.table = preview.table.map { table($0) }
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

    /// Where the result is shown, and where *Cancel* leads.
    fileprivate func place<A: OperatorAction>(of action: A.Type, _ values: FormValues) throws -> String {
        let about = A.about
        if !about.leadsToSection {
            switch try A.target(inputs(values)) {
            case .member(let user): return memberLink(user)
            case .provider(let provider): return providerAddress(provider)
            default: break
            }
        }
        return address(about.sectionPath)
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
