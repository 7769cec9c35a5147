package import GatehouseStorage

/// A setting with its value in words. Its name is that of its texts, and of its field if it has only one: `setting.NAME` is the label, `.help` the meaning,
/// `.from` for whom a change counts from when.
package struct SettingValue: Sendable {
    package let name: String
    package let value: Phrase.Value

    init(_ name: String, _ value: Phrase.Value) {
        self.name = name
        self.value = value
    }
}

/// A setting of an app as an operator changes it: what the form asks, and what stands of it in a list and in a difference.
package struct Setting<A: SettingsAction>: Sendable {
    let name: String
    let inputs: [Input<A>]
    private let value: @Sendable (A) -> Phrase.Value?

    /// - Parameters:
    ///   - input: the field with this name.
    ///   - value: in words.
    init(_ name: String, _ input: (String) -> Input<A>, value: @escaping @Sendable (A) -> Phrase.Value) {
        self.init(name, [input(name)], value: value)
    }

    /// - Parameters:
    ///   - inputs: fields with names of their own.
    ///   - value: in words; nil where the setting has no meaning.
    init(_ name: String, _ inputs: [Input<A>], value: @escaping @Sendable (A) -> Phrase.Value?) {
        self.name = name
        self.inputs = inputs
        self.value = value
    }

    func value(of action: A) -> SettingValue? { value(action).map { SettingValue(name, $0) } }
}

/// An operator's action that sets some of an app's settings. What stands in its list of settings is in its form, in the difference that it
/// shows, in its undo and on the app's page.
package protocol SettingsAction: OperatorAction where Outcome == App {
    /// In the order of the form.
    static var settings: [Setting<Self>] { get }

    /// The id of an earlier change that this one takes back.
    var earlier: String? { get set }
    /// What a command changes, without a form and its preview; nil for everything that the form has.
    var change: (@Sendable (inout App) -> Void)? { get }

    /// Takes the settings of an app over.
    mutating func read(_ app: App)
    /// Sets the settings of an app.
    func write(to app: inout App)
}

extension SettingsAction {
    package static var inputs: [Input<Self>] { [.earlier(\.earlier)] + settings.flatMap(\.inputs) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let before = try context.earlier(earlier, in: tx)?.before
        read(before.map { $0.settings(of: context.app) } ?? context.app)
    }

    /// Sets what was chosen, by a form or by a command.
    func perform(_ event: AppEvent, _ work: Work) async throws -> App {
        try await work.changeApp(event) { app, _ in
            if let change { change(&app) } else { write(to: &app) }
        }
    }

    /// An app's settings in words.
    package static func values(of app: App) throws -> [SettingValue] {
        var action = try Self(on: .app)
        action.read(app)
        return action.values
    }

    /// The same of an app with the defaults, also of transfer accounts, which an app has only after they were switched on.
    package static var standard: [SettingValue] {
        get throws {
            var app = App.ofServer
            app.policy.transfer = TransferPolicy()
            return try values(of: app)
        }
    }

    private var values: [SettingValue] { Self.settings.compactMap { $0.value(of: self) } }

    /// What it makes different.
    ///
    /// - Throws: ``InputProblems`` if that is nothing.
    func difference(from app: App) throws -> Preview.Table {
        try Preview.Table(from: Self.values(of: app), to: values, at: Self.settings.first?.name ?? "")
    }
}

extension Phrase.Value {
    static func days(_ count: Int) -> Phrase.Value { .phrase(Phrase("time.days", ["count": .count(count)])) }

    static func onOff(_ isOn: Bool) -> Phrase.Value { .phrase(isOn ? "setting.on" : "setting.off") }

    /// A length in the largest unit without a rest, so that two lengths that differ read differently.
    static func exactly(seconds: Int64) -> Phrase.Value {
        let units: [(seconds: Int64, key: String)] = [
            (86_400, "time.days"), (3_600, "time.hours"), (60, "time.minutes"), (1, "time.seconds"),
        ]
        let unit = units.first { seconds % $0.seconds == 0 } ?? (1, "time.seconds")
        return .phrase(Phrase(unit.key, ["count": .count(Int(seconds / unit.seconds))]))
    }
}

extension Preview.Table {
    /// What a change of settings makes different.
    ///
    /// - Parameter field: the field at which the form says that nothing is different.
    /// - Throws: ``InputProblems``
    fileprivate init(from before: [SettingValue], to after: [SettingValue], at field: String) throws {
        let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.name, $0.value) }) { first, _ in first }
        let names = (before + after).map(\.name).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        let changed = names.filter { old[$0] != new[$0] }
        guard !changed.isEmpty else { throw InputProblems([field: "problem.no-change"]) }
        self.init(
            caption: "setting.difference", columns: ["setting.name", "setting.before", "setting.after"],
            rows: changed.map { name in
                [
                    .text(.label(of: name), note: Phrase("setting.\(name).from")), .value(old[name] ?? .text("–")),
                    .value(new[name] ?? .text("–")),
                ]
            })
    }
}
