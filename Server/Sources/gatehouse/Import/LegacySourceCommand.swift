import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// The systems that players may come from.
struct LegacySourceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "source", abstract: "Say which systems players may come from, and until when.",
        subcommands: [Set.self, List.self, Test.self, Close.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a system that players come from, or change its settings.",
            discussion: """
                A key is read from a file (- is standard input), kept encrypted, and stays as it is where none is given. All other \
                settings are those of this call. Without --until the exchange ends in 180 days, or when it was to end before.
                """)

        @OptionGroup var app: AppArguments
        @Argument(help: "A name of your own, such as firebase-main.") var name: String
        @Option(help: ArgumentHelp("What it is.", valueName: Self.kinds)) var kind: String
        @Option(help: "The project, or for Gamebase the app, for PlayFab the title, for EOS the deployment.")
        var project: String?
        @Option(help: "The same, as PlayFab calls it.") var title: String?
        @Option(help: "The issuer, exactly as tokens name it; for Gamebase and PlayFab another address of their API.")
        var issuer: String?
        @Option(help: "For whom tokens are issued: the client id of EOS, Cognito and OpenID Connect.")
        var audience: String?
        @Option(help: "Firebase: the tenant, if the project has tenants.") var tenant: String?
        @Option(
            help:
                "A file with the key: of Nakama's session tokens, of an old Supabase project, or of an API, such as Firebase's web API key."
        )
        var secretFile: String?
        @Option(help: "When the exchange ends, such as 2027-06-01T00:00:00Z; at most 400 days from now.")
        var until: String?
        @Option(help: ArgumentHelp("Whether the id of a device alone is a credential.", valueName: "never|guests"))
        var bareIds = LegacySettings.BareIDs.never
        @Option(help: ArgumentHelp("What a player gets who was not imported.", valueName: "create|refuse"))
        var onUnknown = LegacySettings.UnknownPlayers.create
        @Option(help: ArgumentHelp("Who checks the old session.", valueName: "client|server"))
        var confirm = LegacySettings.Confirmation.client
        @Option(help: ArgumentHelp("What a second device of a player gets.", valueName: "refuse|move"))
        var claimAgain = LegacySettings.SecondClaims.refuse
        @Option(
            help: "The identity provider here for one there, as THERE=HERE, such as oidc.studio=studio; several times.")
        var map: [String] = []
        @Flag(help: "With openid: the issuer is another Gatehouse, whose access tokens count.") var gatehouse = false
        @Option(help: "Development: where a fake world stands for the system, such as http://127.0.0.1:9090.")
        var fakeWorld: String?

        private static let kinds = LegacySourceKind.allCases.map(\.rawValue).joined(separator: "|")

        func run() async throws {
            guard let kind = LegacySourceKind(rawValue: kind) else {
                throw ValidationError("There is no kind \(self.kind): there are \(Self.kinds).")
            }
            let settings = try settings()
            let key = try secretFile.map { ProviderToken(try OpenFile.text(of: $0)) }
            let end = try until.map { try Words.date($0) }
            try await app.run(
                SetLegacySource(name: name, kind: kind, settings: settings, key: key, until: end))
            app.output.done("players may come from \(name)")
            guard bareIds == .guests else { return }
            Terminal.complain(
                """
                Whoever knows the id of a device gets its player: take these ids only if they are random, and if the game never \
                showed or logged them.
                """)
        }

        private func settings() throws -> LegacySettings {
            var settings = LegacySettings()
            settings.project = project ?? title
            (settings.issuer, settings.audience, settings.tenant) = (issuer, audience, tenant)
            (settings.bareIDs, settings.unknownPlayers) = (bareIds, onUnknown)
            (settings.confirmation, settings.secondClaims) = (confirm, claimAgain)
            settings.origin = fakeWorld
            settings.isGatehouse = gatehouse ? true : nil
            for pair in map {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                    throw ValidationError("\(pair) is not THERE=HERE, such as oidc.studio=studio.")
                }
                settings.providers[String(parts[0])] = Provider(String(parts[1]))
            }
            return settings
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the systems that players may come from.")

        @OptionGroup var app: AppArguments

        func run() async throws {
            let (sources, now) = try await app.open { administration, app in
                (try await administration.run(.legacySources, in: app), administration.now)
            }
            let rows = sources.map { source -> [Shown] in
                let settings = source.settings
                return [
                    .text(source.name), .text(source.kind.rawValue),
                    .text(source.closedAt != nil ? "closed" : source.openUntil > now ? "open" : "ended"),
                    .time((source.closedAt ?? source.openUntil).milliseconds), .text(settings.bareIDs.rawValue),
                    .text(settings.unknownPlayers.rawValue), .text(settings.confirmation.rawValue),
                    .text(settings.secondClaims.rawValue),
                ]
            }
            try app.output.list(
                ["name", "kind", "state", "until", "bareIds", "onUnknown", "confirm", "claimAgain"], rows)
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try a credential of the system, from standard input, and say why it is refused.",
            discussion:
                "Nothing is written, and the credential can be used afterwards. Exits with 1 for one that is refused.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The source's name.") var name: String
        @Option(
            help:
                "What it is: idToken, accessToken, refreshToken, sessionToken, sessionTicket, entityToken or transferAccount."
        )
        var credential = LegacyCredential.Kind.idToken.rawValue
        @Option(help: "The user id beside an access token of Gamebase, or the id of a transfer account.") var id:
            String?
        @Flag(help: "The system may be on this machine or in its networks, as with allow-local-providers.")
        var local = false

        func run() async throws {
            guard let bytes = try? OpenFile.standardInput.readToEnd(),
                let text = String(validating: bytes, as: UTF8.self)
            else { throw ValidationError("Standard input can't be read.") }
            let shown = LegacyCredential(
                kind: .init(rawValue: credential), value: ProviderToken(text.trimmingWhitespace()), id: id)
            let outcome = try await app.run(TestLegacyCredential(source: name, credential: shown), reachesLocal: local)
            switch outcome {
            case .person(let person, let isImported):
                guard !app.output.json else {
                    let identities = person.identities.map { identity -> JSONValue in
                        ["name": .string(identity.name), "subject": Shown.text(identity.subject).value]
                    }
                    let answer: JSONValue = [
                        "legacyId": .string(person.legacyID), "isImported": .bool(isImported),
                        "identities": .array(identities),
                    ]
                    return try Terminal.json(answer)
                }
                Terminal.say("good: it is of \(person.legacyID), who is \(isImported ? "" : "not ")imported")
                for identity in person.identities {
                    Terminal.say("identity  \(identity.name)  \(identity.subject ?? "-")")
                }
            case .refused(let why):
                Terminal.complain("refused: \(why)")
                throw ExitCode.failure
            }
        }
    }

    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End the exchange with a system for good, and erase its keys and the ids of devices.",
            discussion: "Who has come stays. A file of this system can't be imported any more.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The source's name.") var name: String

        func run() async throws {
            try await app.run(CloseLegacySource(name: name))
            app.output.done("\(name) is closed")
        }
    }
}

extension LegacySettings.BareIDs: ExpressibleByArgument {}
extension LegacySettings.UnknownPlayers: ExpressibleByArgument {}
extension LegacySettings.Confirmation: ExpressibleByArgument {}
extension LegacySettings.SecondClaims: ExpressibleByArgument {}

/// For support: a player has a new device, and nothing that shows it but the support's own check.
struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let another device claim a player of another system once more.",
        discussion: "The device that has claimed the player loses it then.")

    @OptionGroup var app: AppArguments
    @Argument(help: "The source's name.") var source: String
    @Argument(help: "The player's id in that system.") var legacyID: String
    @Option(help: "Why, for other operators.") var reason: String?

    func run() async throws {
        let user = try await app.run(ReleaseLegacyMember(source: source, legacyID: legacyID), reason: reason)
        guard let user else { return app.output.done("no device has claimed \(legacyID)") }
        app.output.done("\(user) may be claimed once more")
    }
}
