import ArgumentParser
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire

extension AppCommand {
    struct AddSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a further secret key, for what it is needed for.",
            discussion: """
                check: access tokens, revocations, launching. moderate: bans, kick-outs, grace bans, payments. erase: \
                withdrawals. profile: members and what their identity providers have told.
                """)

        @OptionGroup var app: NamedApp
        @Option(help: "What the key may do: check, moderate, erase or profile; may be given several times.")
        var scope: [String]
        @Option(help: "What the key is called, such as the server that has it.") var name: String

        func run() async throws {
            let scopes = try scope.map { word in
                guard let scope = SecretKeyScope(rawValue: word) else {
                    let known = SecretKeyScope.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("There is no scope \(word). Known are: \(known).")
                }
                return scope
            }
            let added = CreateSecret(name: name, scopes: Set(scopes))
            let (secret, id) = try await app.open(audit: .inDatabaseAlone) {
                let secret = try await $0.run(added, in: $1)
                return (secret, try await $0.run(ListSecrets(), in: $1).first { $0.isHash(of: secret) }?.id)
            }
            try app.output.show([Fact("id", .text(id)), Fact("secretKey", .text(secret.secretValue))])
        }
    }

    struct Secrets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an app's secret keys: id, scopes, when they were made, name.",
            discussion: "The app's own keys, which rotate, have no name. No key is shown.")

        @OptionGroup var app: NamedApp

        func run() async throws {
            let rows = try await app.run(ListSecrets()).map { secret -> [Shown] in
                let scopes = SecretKeyScope.allCases.filter(secret.scopes.contains)
                return [
                    .text(secret.id), .list(scopes.map(\.rawValue)), .time(secret.createdAt.milliseconds),
                    .text(secret.name),
                ]
            }
            try app.output.list(["id", "scopes", "made", "name"], rows)
        }
    }

    struct RevokeSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End one secret key at once, by the id that `app secrets` shows.")

        @OptionGroup var app: NamedApp
        @Argument(help: "The key's id.") var secret: String

        func run() async throws {
            try await app.run(GatehouseCore.RevokeSecret(id: secret))
            app.output.done("revoked \(secret)")
        }
    }
}
