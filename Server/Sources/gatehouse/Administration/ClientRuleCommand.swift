import ArgumentParser
import GatehouseCore
import GatehouseWire

struct ClientRuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Give some clients another status than the app's.",
        discussion: "The first rule that matches a client decides; a client that none matches gets the app's status.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a rule for clients of a system, a store or versions. Prints its id.",
            discussion: "Statuses: "
                + ClientRule.statuses.map { "\($0.name) (\($0.rawValue))" }.joined(separator: ", ") + ".")

        @OptionGroup var app: NamedApp
        @Argument(help: "The status, by name or number.") var status: String
        @Option(help: "The system, such as IOS or AOS. Default: every one") var os: String?
        @Option(help: "The store, such as AS or GG. Default: every one") var store: String?
        @Option(help: "The first version that it is for, such as 1.9.0.") var from: String?
        @Option(help: "The first version that it is not for any more, such as 2.0.0.") var below: String?
        @Option(help: "Where players find another version.") var url: String?
        @Option(help: "What players read, as LANGUAGE=TEXT; may be given several times.") var message: [String] = []
        @Option(help: "Its place among the rules, from 1. Default: the last") var position: Int?

        func run() async throws {
            let rule = ClientRule(
                osCode: os?.uppercased(), storeCode: store?.uppercased(), from: from, below: below,
                status: try LaunchingStatus.typed(status).status, updateURL: url,
                message: LocalizedText(try Words.texts(message)))
            let added = try await app.run(AddClientRule(rule, at: position), audit: .inDatabaseAlone)
            try app.output.show([Fact("rule", .text("\(added)"))])
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an app's rules in their order.")

        @OptionGroup var app: NamedApp

        func run() async throws {
            let rows = try await app.run(ReadApp()).clientRules.enumerated().map { index, rule -> [Shown] in
                [
                    .count(index + 1), .text(rule.id), .text(rule.status.name), .text(rule.osCode),
                    .text(rule.storeCode), .text(rule.from), .text(rule.below), .text(rule.updateURL),
                ]
            }
            try app.output.list(["position", "id", "status", "os", "store", "from", "below", "url"], rows)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a rule, by the id that `app rule list` shows.")

        @OptionGroup var app: NamedApp
        @Argument(help: "The rule's id.") var rule: String

        func run() async throws {
            try await app.run(RemoveClientRule(id: rule))
            app.output.done("removed \(rule)")
        }
    }
}
