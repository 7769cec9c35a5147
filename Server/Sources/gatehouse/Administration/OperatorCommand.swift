import ArgumentParser
import GatehouseCore
import GatehouseServer
import GatehouseWire

struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "People who use the console.",
        subcommands: [Create.self, Invite.self, Grant.self, Disable.self, Enable.self, List.self])
}

/// A role in an app, or in everything.
struct GrantArguments: ParsableArguments {
    @Option(help: "viewer, support, operator or owner.")
    var role: String

    @Option(
        help: """
            The app of the role, which GATEHOUSE_APP does not name. Without it the role is for every app, and for the server itself.
            """)
    var app: String?

    func grants(on administration: Administration) async throws -> [GrantScope: OperatorRole] {
        try await .init(typed: [app ?? "*": role], in: administration.run(ListApps()).map(\.id))
    }
}

/// Where operators reach the server, for the link of an invitation.
struct ConsoleArguments: ParsableArguments {
    @Option(help: "The server's URL, for the link. Default: its public-url, or where it runs on this database")
    var server: String?

    func address(_ data: DataArguments) async throws -> ServerAddress {
        try await ServerAddress.known(to: [data.settings(also: ["server": server])])
    }

    static func show(_ token: String, of name: String, at address: ServerAddress, _ output: OutputArguments) throws {
        let link = "\(address.url)/console/enrol/\(token)"
        guard !output.json else { return try Terminal.json(["operator": name, "link": link]) }
        Terminal.say("\(link)\nThe link works once, for 24 hours. It is shown only now.")
    }
}

extension OperatorCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an operator, and print the link to set a password and a second factor.")

        @Argument(help: "The name for signing in: a-z, 0-9, '.', '-' and '_'.") var name: String
        @OptionGroup var grant: GrantArguments
        @OptionGroup var console: ConsoleArguments
        @OptionGroup var data: DataArguments

        func run() async throws {
            let address = try await console.address(data)
            let token = try await data.open(audit: .inDatabaseAlone) {
                try await $0.run(InviteOperator(name: name, grants: grant.grants(on: $0)))
            }
            try ConsoleArguments.show(token.text, of: name, at: address, data.output)
        }
    }

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new link for an operator who has lost the password or the second factor. Sessions end.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var console: ConsoleArguments
        @OptionGroup var data: DataArguments

        func run() async throws {
            let address = try await console.address(data)
            let token = try await data.run(ResetOperatorFactor(name: name), audit: .inDatabaseAlone)
            try ConsoleArguments.show(token.text, of: name, at: address, data.output)
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set an operator's role, in place of all former ones. Sessions end.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var grant: GrantArguments
        @OptionGroup var data: DataArguments

        func run() async throws {
            try await data.open { try await $0.run(GrantOperator(name: name, grants: grant.grants(on: $0))) }
            data.output.done("\(name) has the role \(grant.role) in \(grant.app ?? "every app"), and no other")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Keep an operator from signing in. Sessions end.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var data: DataArguments

        func run() async throws {
            try await data.run(DisableOperator(name: name))
            data.output.done("\(name) can't sign in any more")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a disabled operator sign in again.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var data: DataArguments

        func run() async throws {
            try await data.run(EnableOperator(name: name))
            data.output.done("\(name) can sign in again")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the operators, with their roles.")

        @OptionGroup var data: DataArguments

        func run() async throws {
            let rows = try await data.run(ListOperators()).map { person -> [Shown] in
                let roles = person.grants.map { "\($0.key.text):\($0.value.rawValue)" }.sorted()
                let state = person.isDisabled ? "disabled" : person.isEnrolled ? "active" : "invited"
                return [.text(person.name), .list(roles, separator: " "), .text(state)]
            }
            try data.output.list(["name", "roles", "state"], rows)
        }
    }
}
