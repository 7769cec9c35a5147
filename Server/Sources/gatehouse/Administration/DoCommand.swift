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
