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

    @Option(help: "The app of the role. Without it the role is for every app, and for the server itself.")
    var app: String?

    func grants(on administration: Administration) async throws -> [GrantScope: OperatorRole] {
        try await .init(typed: [app ?? "*": role], in: administration.run(ListApps()).map(\.id))
    }
}

/// Where operators reach the server, for the link of an invitation.
struct ConsoleArguments: ParsableArguments {
    @Option(help: "The server's URL, for the link. Default: http://127.0.0.1:8080")
    var server: String?

    func link(_ token: String) -> Terminal.Text {
        """
        \(server ?? "http://127.0.0.1:8080")/console/enrol/\(token)
        The link works once, for 24 hours. It is shown only now.
        """
    }
}

extension OperatorCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an operator, and print the link to set a password and a second factor.")

        @Argument(help: "The name for signing in: a-z, 0-9, '.', '-' and '_'.") var name: String
        @OptionGroup var grant: GrantArguments
        @OptionGroup var console: ConsoleArguments
        @OptionGroup var data: DatabaseArguments

        func run() async throws {
            let token = try await data.open {
                try await $0.run(InviteOperator(name: name, grants: grant.grants(on: $0)))
            }
            Terminal.say(console.link(token.text))
        }
    }

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new link for an operator who has lost the password or the second factor. Sessions end.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var console: ConsoleArguments
        @OptionGroup var data: DatabaseArguments

        func run() async throws {
            Terminal.say(console.link(try await data.run(InviteOperator(name: name, grants: nil)).text))
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set an operator's role, in place of all former ones. Sessions end.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var grant: GrantArguments
        @OptionGroup var data: DatabaseArguments

        func run() async throws {
            try await data.open { try await $0.run(GrantOperator(name: name, grants: grant.grants(on: $0))) }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Keep an operator from signing in. Sessions end.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var data: DatabaseArguments

        func run() async throws {
            try await data.run(DisableOperator(name: name))
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a disabled operator sign in again.")

        @Argument(help: "The operator.") var name: String
        @OptionGroup var data: DatabaseArguments

        func run() async throws {
            try await data.run(DisableOperator(name: name, isDisabled: false))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the operators, with their roles.")

        @OptionGroup var data: DatabaseArguments

        func run() async throws {
            for person in try await data.run(ListOperators()) {
                let roles = person.grants.map { "\($0.key.text):\($0.value.rawValue)" }.sorted().joined(separator: " ")
                let state = person.isDisabled ? "disabled" : person.isEnrolled ? "active" : "invited"
                Terminal.row([person.name, roles, state])
            }
        }
    }
}
