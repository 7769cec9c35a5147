import ArgumentParser
import GatehouseConsole
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// `gatehouse do`: every action of the console that describes itself, without a command of its own.
struct DoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "do", abstract: "Do what an operator does in the console, by the name that the audit has for it.",
        discussion: """
            The fields are those of the console's form, and are as it shows them at first where none is given; what the action is about, \
            such as user=ID, is a field, too. Times have a zone, such as 2026-12-01T03:00:00+09:00, or end with Z.
            """)

    @OptionGroup var app: AppArguments
    @Argument(help: "The action's name, such as member.banned.") var action: String?
    @Option(name: .customLong("set"), help: "A field, as FIELD=VALUE; may be given several times.")
    var fields: [String] = []
    @Option(help: "Why, for operators. What the console does without a confirmation, such as a note, needs none.")
    var reason: String?
    @Option(help: "The word that the console has typed before what nothing undoes; --dry-run says which.")
    var confirm: String?
    @Flag(help: "Only say what would happen.") var dryRun = false
    @Flag(help: "List the actions: name, least role in the console, title. With an action: its fields, their choices.")
    var list = false

    func run() async throws {
        guard let action else {
            guard list else { throw ValidationError("Say which action: `gatehouse do --list` has them.") }
            let english = PhraseFormatter.english(at: Moment(milliseconds: 0))
            return try app.output.list(
                ["name", "role", "title"],
                OperatorActions.all.map { $0.about }.map { about in
                    [.text(about.name), .text(about.role.rawValue), .text(english.title(of: about))]
                })
        }
        guard let kind = OperatorActions.all.first(where: { $0.about.name == action }) else {
            throw ValidationError("There is no action \(action): `gatehouse do --list` has them.")
        }
        try await run(kind)
    }

    private func run<A: OperatorAction>(_ kind: A.Type) async throws {
        let values = try Self.values(fields)
        let output = app.output
        try await app.open(audit: .inDatabaseAlone) { administration, app in
            let run = OperatorActionRun<A>(administration: administration, app: app)
            if list {
                return try output.list(["field", "label", "choices"], try await run.fields())
            }
            let action = try await run.action(values)
            let preview = try await run.preview(of: action)
            if dryRun { return try preview.show(asJSON: output.json) }
            try requireWords(for: A.about, preview)
            let result = try await run.perform(action, reason: reason)
            try result.show(asJSON: output.json)
            guard result.failed.isEmpty else { throw ExitCode.failure }
        }
    }

    private func requireWords(for about: OperatorActionAbout, _ preview: ActionPreview) throws {
        guard about.step == .plain || reason?.isEmpty == false else {
            throw ValidationError("Give the reason, for operators, with --reason.")
        }
        guard preview.confirm == nil || preview.confirm == confirm else {
            throw ValidationError("\(preview.title) If it is right, say so with --confirm \(preview.confirm ?? "").")
        }
    }

    private static func values(_ pairs: [String]) throws -> [String: String] {
        var values: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("\(pair) is not FIELD=VALUE, such as user=9BM7N3QKX4TZRD3C.")
            }
            guard values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                throw ValidationError("The field \(parts[0]) is given twice.")
            }
        }
        return values
    }
}

/// One operator's action at the terminal, in English.
struct OperatorActionRun<A: OperatorAction> {
    let administration: Administration
    let app: AppID

    private var english: PhraseFormatter { .english(at: administration.now) }
    /// The name of the languages for which a text can be given.
    private static var anyLanguage: String { "LANGUAGE" }

    /// What it asks for: name, label, and the values from which to choose.
    func fields() async throws -> [[Shown]] {
        let inputs = try await inputs()
        let unasked = inputs.unasked.map { [Shown.text($0), .text("what it is about"), .list([])] }
        return unasked
            + inputs.fields.map { field -> [Shown] in
                var choices: [String] = []
                if case .choice(let options) = field.kind { choices = options.map(\.value) }
                return [.text(field.name), .text(english.text(field.label)), .list(choices, separator: "|")]
            }
    }

    /// The action with the fields that were given, and the others as its form shows them at first.
    func action(_ fields: [String: String]) async throws -> A {
        let typed = try await named(fields)
        return try await saying {
            let shown = try await administration.run(ReadForm(of: begun(typed)), in: app)
            // An empty text takes one away. Where there is none by this name, nothing would be done, and nobody would be told.
            let missing = typed.filter { field, value in
                value.isEmpty && field.contains(".") && !shown.contains { $0.name == field }
            }
            if let field = missing.keys.min() {
                throw ValidationError("\(field) is empty, and \(A.about.name) finds no such text to take away.")
            }
            let values = Dictionary(shown.map { ($0.name, $0.value) }) { $1 }.merging(typed) { $1 }
            let asked = InputValues.Asked()
            let action = try await administration.action(in: app) { view in
                let inputs = InputValues(values, asked: asked, time: Self.time)
                return try A(on: A.target(inputs), inputs, view)
            }
            // An end beside a length that is not `until`, for example, would be passed over without a word.
            guard let unused = Set(typed.keys).subtracting(asked.names).min() else { return action }
            throw ValidationError("The field \(unused) does not count beside the others: see `gatehouse do --list`.")
        }
    }

    /// The action whose form is about to be shown.
    private func begun(_ typed: [String: String]) async throws -> A {
        let inputs = InputValues(typed)
        do {
            return try await administration.action(in: app) { view in
                try A(begun: A.target(inputs), inputs, view)
            }
        } catch let refusal as Refusal where refusal.details.parameter != nil {
            // The refusal speaks of an address, which is the console's.
            throw ValidationError("Say what it is about, with --set \(refusal.details.parameter ?? "")=VALUE.")
        }
    }

    func preview(of action: A) async throws -> ActionPreview {
        let preview = try await saying { try await administration.run(ReadPreview(of: action), in: app) }
        return ActionPreview(preview, of: A.about, in: english)
    }

    func perform(_ action: A, reason: String?) async throws -> ActionDone {
        let outcome = try await saying { try await administration.run(action, in: app, reason: reason) }
        return ActionDone(A.result(outcome), of: A.about, in: english)
    }

    private func inputs() async throws -> ReadInputs<A>.Outcome {
        try await administration.run(ReadInputs<A>(in: [Self.anyLanguage]), in: app)
    }

    /// The fields by the names that the action has for them. A text may be in any language, which has one name: under another one it would
    /// stand beside the text that it replaces.
    private func named(_ fields: [String: String]) async throws -> [String: String] {
        let inputs = try await inputs()
        let known = inputs.unasked + inputs.fields.map(\.name)
        var named: [String: String] = [:]
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
            var name = field
            if !known.contains(field) {
                let parts = field.split(separator: ".")
                let text = parts.dropLast().joined(separator: ".")
                guard let language = parts.last, known.contains("\(text).\(Self.anyLanguage)") else {
                    throw ValidationError(
                        "\(A.about.name) has no field \(field): its fields are \(known.joined(separator: ", ")).")
                }
                // An empty text also takes away what an earlier version has stored under a name that is no language.
                let isRemoved = value.isEmpty && LocalizedText.language(String(language)) == nil
                if !isRemoved { name = "\(text).\(try Words.language(String(language)))" }
            }
            guard named.updateValue(value, forKey: name) == nil else {
                throw ValidationError("The field \(name) is given twice.")
            }
        }
        return named
    }

    private static func time(_ text: String, _ second: Bool?) throws -> Moment {
        do {
            return try Words.date(text)
        } catch let error as ValidationError {
            throw InputProblems(["": .verbatim(error.message)])
        }
    }

    /// Does something, and says in English why it can't be done.
    private func saying<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as InputProblems {
            let lines = error.phrases.map { "\($0.key): \(english.text($0.value))" }
            throw ValidationError(lines.sorted().joined(separator: "\n"))
        } catch let error as ImpossibleAction {
            throw Refusal.parameter(error.parameter, english.text(error.phrase))
        }
    }
}

/// What an operator's action would do, as the terminal shows it.
struct ActionPreview: Encodable {
    let action: String
    let title: String
    let consequences: [String]
    let playerReads: [String: String]
    /// The names of the columns, and then the rows.
    let table: [[String]]
    let undo: String
    /// What has to be typed.
    let confirm: String?

    init(_ preview: Preview, of about: OperatorActionAbout, in language: PhraseFormatter) {
        action = about.name
        title = language.text(preview.title)
        consequences = preview.consequences.map(language.text)
        playerReads = Dictionary(preview.playerReads.map { ($0.language, $0.text) }) { $1 }
        table =
            preview.table.map { table in
                [table.columns.map(language.text)] + table.rows.map { $0.map { Self.text($0, in: language) } }
            } ?? []
        undo = language.text(preview.undo)
        confirm = preview.typed
    }

    func show(asJSON: Bool) throws {
        guard !asJSON else { return try Terminal.json(self) }
        Terminal.say("\(title)")
        for consequence in consequences { Terminal.say("- \(consequence)") }
        for (language, text) in playerReads.sorted(by: { $0.key < $1.key }) {
            Terminal.say("the player reads  \(language)=\(text)")
        }
        Terminal.table(table)
        Terminal.say("\(undo)")
        if let confirm { Terminal.say("It needs --confirm \(confirm).") }
    }

    private static func text(_ cell: Preview.Cell, in language: PhraseFormatter) -> String {
        switch cell {
        case .member(let user, _): user.rawValue
        case .state(let status): status?.rawValue ?? "-"
        case .mark(let phrase, _): language.text(phrase)
        case .text(let phrase, let note):
            ([phrase] + [note].compactMap(\.self)).map(language.text).joined(separator: ", ")
        case .providers(let providers): language.text(.providers(providers))
        case .value(let value): language.text(value)
        }
    }
}

/// What came of an operator's action, as the terminal shows it.
struct ActionDone: Encodable {
    struct Secret: Encodable {
        let label: String
        let text: String
    }

    let action: String
    /// What is shown now and never again.
    let secrets: [Secret]
    /// Another member whom it has concerned.
    let other: String?
    /// The members to whom it was not done.
    let failed: [String]
    private let title: String

    private enum CodingKeys: CodingKey {
        case action, secrets, other, failed
    }

    init(_ result: ActionResult, of about: OperatorActionAbout, in language: PhraseFormatter) {
        action = about.name
        title = language.title(of: about)
        secrets = result.secrets.map { Secret(label: language.text($0.label), text: $0.text) }
        other = result.other?.rawValue
        failed = result.failed.map(\.rawValue)
    }

    func show(asJSON: Bool) throws {
        guard !asJSON else { return try Terminal.json(self) }
        Terminal.say(failed.isEmpty ? "\(title): done" : "\(title): not done for all")
        for secret in secrets { Terminal.say("\(secret.label)  \(secret.text)") }
        if let other { Terminal.say("\(other) is concerned, too") }
        for user in failed { Terminal.say("\(user) is as before") }
    }
}
