import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// One kind of change that the console offers: a row of the table of actions. Its page with the form and what will happen, its record in
/// the audit and its permission all come from here.
struct DeedKind: Sendable {
    typealias Level = OperatorActionAbout.Step

    /// The name in the audit and in the address, such as `member.banned`.
    let name: String
    let level: Level
    let role: OperatorRole
    /// The part of the navigation in which its pages are.
    let section: String
    /// The action that undoes it; nil where none can.
    var undo: (any OperatorAction.Type)?
    /// Whether it can undo another without a choice, because its form begins with what was before.
    var undoesAtOnce = false
    /// Whether it concerns no app. Its address is then ``Console/prefix`` and not an app's.
    var isOfServer = false
    /// How long a field of its form may be.
    var fieldBytes = FormValues.fieldBytes
    /// What the address says it is about.
    let target: @Sendable (FormValues) throws -> ActionTarget
    /// What has to be chosen.
    var fields: @Sendable (PageRequest, FormValues) async throws -> [Field] = { _, _ in [] }
    /// Links that fill in the form with what is wanted most often.
    var presets: @Sendable (PageRequest) -> [Link] = { _ in [] }
    /// Hides the secrets of a form in one sealed field, so that no page shows them.
    var seal: @Sendable (PageRequest, FormValues) async throws -> FormValues = { _, values in values }
    /// What would happen. It throws ``FormProblems`` for what can't be done as it was typed.
    let preview: @Sendable (PageRequest, FormValues) async throws -> DeedPreview
    /// Does it.
    let perform: @Sendable (PageRequest, FormValues, DeedCall) async throws -> DeedResult
}

/// Runs what was confirmed: recorded, and once.
struct DeedCall: Sendable {
    let page: PageRequest
    let confirmation: ActionConfirmation
    let reason: String

    @discardableResult
    func run<A: UseCase>(_ action: A) async throws -> A.Outcome {
        try await page.run(action, confirmation: confirmation, reason: reason)
    }

    @discardableResult
    func run<A: ServerAction>(_ action: A) async throws -> A.Outcome {
        try await page.run(action, confirmation: confirmation, reason: reason)
    }
}

/// What a change will do.
struct DeedPreview: Sendable {
    /// The question, such as "Ban 9BM7 …?".
    var title: String
    /// What will happen, as sentences.
    var consequences: [String]
    /// What can be undone, and until when.
    var undo: String
    /// What the player will read, by language.
    var playerReads: [(language: String, text: String)] = []
    /// What has to be typed at ``DeedKind/Level/typed``.
    var typed: String?
    /// The words of the button.
    var button: String
    var isDangerous = false
    /// What stands before this change, if it is more than before others of its kind.
    var level = DeedKind.Level.plain
    /// Where *Cancel* leads.
    var cancel: String
    /// Facts about the target, such as the members of a list.
    var table: Table?

    init(
        _ title: String, _ consequences: [String], undo: String, button: String, cancel: String,
        isDangerous: Bool = false
    ) {
        self.title = title
        self.consequences = consequences
        self.undo = undo
        self.button = button
        self.cancel = cancel
        self.isDangerous = isDangerous
    }
}

extension DeedKind {
    /// The end of the address of its section's page.
    var sectionPath: String { Console.path(of: section) }
}

extension OperatorActionAbout {
    /// The end of the address of its section's page.
    var sectionPath: String { Console.path(of: section) }
}

extension Console {
    fileprivate static func path(of section: String) -> String {
        ["overview", "apps"].contains(section) ? "" : section
    }
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

/// What came of an action.
struct DeedResult: Sendable {
    /// Where its result is shown.
    let address: String
    /// Secrets that are shown now and never again, each with its label.
    var secrets: [Fact] = []
    /// The time after which the secrets cannot be used; nil if they have no end.
    var secretsEnd: Moment?
    /// A page of somebody else to which the browser goes first, such as a provider's. It comes back by itself.
    var departure: String?

    init(_ address: String, secrets: [Fact] = [], secretsEnd: Moment? = nil, departure: String? = nil) {
        self.address = address
        self.secrets = secrets
        self.secretsEnd = secretsEnd
        self.departure = departure
    }
}

/// What is wrong with the fields of a form, by name.
struct FormProblems: Error, Sendable {
    let problems: [String: String]

    init(_ problems: [String: String]) {
        self.problems = problems
    }
}
