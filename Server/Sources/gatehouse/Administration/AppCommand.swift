import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Create and change apps.",
        subcommands: [
            Create.self, List.self, RotateSecret.self, RevokeOldSecrets.self, AddSecret.self, Secrets.self,
            RevokeSecret.self, RotateKey.self, Status.self,
            ClientRuleCommand.self, MaintenanceWindow.self, Limits.self, TestDevice.self, AccountPolicyCommand.self,
            TransferPolicyCommand.self,
        ])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an app. Prints its secret key, which is shown only now.",
            discussion: """
                With --like it has the settings of another app, and a line says of each what was copied, and what was not and why. \
                It never gets members, keys and secrets.
                """)

        @OptionGroup var data: DataArguments
        @Argument(help: "The app's id: 1 to 32 letters, digits, - or _.") var id: String
        @Option(help: "The app's name. Default: its id") var name: String?
        @Option(help: "The id of the app whose settings it gets.") var like: String?

        func run() async throws {
            let new = (id: AppID(id), name: name ?? id)
            guard let like else {
                let made = try await data.run(CreateApp(id: new.id, name: new.name), audit: .inDatabaseAlone)
                return try data.output.show(facts(made.secret))
            }
            let created = try await data.open(audit: .inDatabaseAlone) { administration in
                let other = try await administration.app(named: like)
                return try await administration.run(CreateAppLike(id: new.id, name: new.name, like: other))
            }
            let own: Terminal.Text = "members, keys and secrets, and who may use the console: each app has its own"
            let lines = created.lines.map { ($0.isCopied, $0.text(like: like, for: id)) } + [(false, own)]
            guard data.output.json else {
                try data.output.show(facts(created.secret))
                for (isCopied, text) in lines { Terminal.say("\(isCopied ? "copied" : "not copied")\t\(text)") }
                return
            }
            func list(_ isCopied: Bool) -> Shown { .list(lines.filter { $0.0 == isCopied }.map(\.1.shown)) }
            try data.output.show(
                facts(created.secret) + [Fact("copied", list(true)), Fact("notCopied", list(false))])
        }

        private func facts(_ secret: SecretKey) -> [Fact] {
            [Fact("appId", .text(id)), Fact("secretKey", .text(secret.secretValue))]
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @OptionGroup var data: DataArguments

        func run() async throws {
            let apps = try await data.run(ListApps())
            try data.output.list(
                ["id", "status", "name"],
                apps.map { [.text($0.id.rawValue), .text($0.status.name), .text($0.name)] })
        }
    }

    struct RotateSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a new secret key; the last one stays valid, older ones end.",
            discussion: "Keys that have a name stay as they are: see `app secrets`.")

        @OptionGroup var app: NamedApp

        func run() async throws {
            let secret = try await app.run(CreateSecret(), audit: .inDatabaseAlone)
            try app.output.show([Fact("secretKey", .text(secret.secretValue))])
        }
    }

    struct RevokeOldSecrets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End every secret key but the newest.",
            discussion: "Keys that have a name stay as they are: `app revoke-secret` ends them.")

        @OptionGroup var app: NamedApp

        func run() async throws {
            let count = try await app.run(GatehouseCore.RevokeOldSecrets())
            app.output.done("revoked \(count)")
        }
    }

    struct RotateKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a new key for signing access tokens, without logging anyone out.",
            discussion: """
                The new key is published now and signs after ten minutes. Old ones verify until their tokens end. With \
                --revoke-others the server refuses the old keys' tokens within a second, and game servers that check \
                signatures by themselves do with their next list of revocations.
                """)

        @OptionGroup var app: NamedApp
        @Flag(help: "End the old keys at once, because one has leaked. Devices get new tokens by themselves.")
        var revokeOthers = false

        func run() async throws {
            let key =
                revokeOthers
                ? try await app.run(ReplaceSigningKeys(), audit: .inDatabaseAlone)
                : try await app.run(RotateSigningKey(), audit: .inDatabaseAlone)
            try app.output.show([Fact("keyId", .text("\(key)"))])
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set an app's status.",
            discussion: "Statuses: "
                + LaunchingStatus.named.map { "\($0.name) (\($0.status.rawValue))" }.joined(separator: ", ") + ".")

        @OptionGroup var app: NamedApp
        @Argument(help: "The status, by name or number.") var status: String
        @Option(help: "What players read, as LANGUAGE=TEXT; may be given several times.") var message: [String] = []

        func run() async throws {
            let known = try LaunchingStatus.typed(status)
            try await app.run(SetStatus(status: known.status, message: Words.texts(message)))
            app.output.done("\(app.id) is \(known.status.name)")
        }
    }

    struct MaintenanceWindow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "maintenance", abstract: "Announce, change or end maintenance.")

        @OptionGroup var app: NamedApp
        @Option(help: "When it begins, such as 2026-12-01T03:00:00+09:00. Default: now") var begin: String?
        @Option(help: "When it ends, in the same form.") var end: String?
        @Option(help: "What players read, as LANGUAGE=TEXT; may be given several times.") var message: [String] = []
        @Option(help: "A page with more.") var url: String?
        @Option(help: "Why, in a word, for game servers; players read the message. Default: the message")
        var reason: String?
        @Flag(help: "Remove the maintenance window.") var remove = false

        func run() async throws {
            guard remove != (end != nil) else { throw ValidationError("Give either --end or --remove.") }
            let texts = try Words.texts(message)
            let (begin, end) = try (begin.map(Words.date), end.map(Words.date))
            if let end {
                try await app.run(
                    PlanMaintenance(
                        begin: begin, end: end, message: texts, url: url, reason: reason))
            } else {
                try await app.run(EndMaintenance())
            }
            app.output.done(remove ? "\(app.id) has no maintenance" : "maintenance of \(app.id) is set")
        }
    }

    struct Limits: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set what an app allows its callers; 0 is without limit.",
            discussion:
                "Changes are calls that change something: those of a device, and those of a member, are counted.")

        @OptionGroup var app: NamedApp
        @Option(help: "New guests of an address in a minute. Default at creation: 30000") var newGuests: Int?
        @Option(help: "Refused proofs and credentials of an address in a minute. Default at creation: 3000")
        var refusedProofs: Int?
        @Option(help: "Changes in a minute. Default at creation: 120") var changes: Int?
        @Option(help: "Live sessions of a member; the oldest ends for the next. Default at creation: 100")
        var sessions: Int?
        @Option(help: "Wrong transfer passwords, and keys, in an hour over all addresses. Default at creation: 3000")
        var wrongTransfers: Int?

        func run() async throws {
            let (newGuests, refusedProofs, changes) = (newGuests, refusedProofs, changes)
            let (sessions, wrongTransfers) = (sessions, wrongTransfers)
            let change = SetLimits { limits in
                limits.newGuestsPerMinute = newGuests ?? limits.newGuestsPerMinute
                limits.refusedProofsPerMinute = refusedProofs ?? limits.refusedProofsPerMinute
                limits.changesPerMinute = changes ?? limits.changesPerMinute
                limits.liveSessions = sessions ?? limits.liveSessions
                limits.wrongTransfersPerHour = wrongTransfers ?? limits.wrongTransfersPerHour
            }
            let limits = try await app.run(change, audit: .inDatabaseAlone).limits
            try app.output.show([
                Fact("newGuestsPerMinute", .count(limits.newGuestsPerMinute)),
                Fact("refusedProofsPerMinute", .count(limits.refusedProofsPerMinute)),
                Fact("changesPerMinute", .count(limits.changesPerMinute)),
                Fact("liveSessions", label: "live sessions of a member", .count(limits.liveSessions)),
                Fact("wrongTransfersPerHour", .count(limits.wrongTransfersPerHour)),
            ])
        }
    }

    struct TestDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a device in during maintenance.",
            discussion: "A device is named by its key's thumbprint, which is its guest mapping's subject.")

        @OptionGroup var app: NamedApp
        @Option(help: "The thumbprint of a device to add.") var add: String?
        @Option(help: "The thumbprint of a device to remove.") var remove: String?
        @Option(help: "Whose device it is.") var note = ""

        func run() async throws {
            let devices = try await app.open(audit: .inDatabaseAlone) {
                if let add { try await $0.run(AddTestDevice(key: KeyThumbprint(add), note: note), in: $1) }
                if let remove { try await $0.run(RemoveTestDevice(key: KeyThumbprint(remove)), in: $1) }
                return try await $0.run(ListTestDevices(), in: $1)
            }
            try app.output.list(["device", "note"], devices.map { [.text("\($0.key)"), .text($0.note)] })
        }
    }
}

extension LaunchingStatus {
    /// The status that somebody has typed, by name or number, with its own name.
    static func typed(_ text: String) throws -> (status: LaunchingStatus, name: String) {
        let word = letters(of: text)
        let known = (named + gamebaseNames).first {
            letters(of: $0.name) == word || String($0.status.rawValue) == text
        }
        guard let known else { throw ValidationError("There is no status \(text): see --help.") }
        return known
    }

    /// The names in Gamebase's launching table that differ from ours.
    private static let gamebaseNames: [(status: LaunchingStatus, name: String)] = [
        (.inServiceForTestDevices, "IN_SERVICE_BY_QA_WHITE_LIST"), (.terminated, "TERMINATED_SERVICE"),
        (.maintenance, "INSPECTING_SERVICE"), (.maintenanceOfAllServices, "INSPECTING_ALL_SERVICES"),
    ]

    /// A status is spelled `IN_SERVICE` in Gamebase's documents, `in-service` here and `inService` in Swift.
    private static func letters(of name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}

extension AppCopyLine {
    /// What was copied, or what was not and why.
    ///
    /// - Parameters:
    ///   - other: the app whose settings the new one has.
    ///   - new: the new app.
    func text(like other: String, for new: String) -> Terminal.Text {
        switch self {
        case .language(let language): "default language: \(language)"
        case .accountPolicy(let hasTransfers):
            """
            accounts: deletion, restoring, transfers (\(hasTransfers ? "on" : "off")), support, consent, time zone, \
            tickets
            """
        case .limits: "limits"
        case .provider(let provider, let secrets) where secrets.isEmpty:
            "\(provider), switched off: give it \(new)'s own client ids, and switch it on"
        case .provider(let provider, let secrets):
            """
            \(provider), switched off: give it \(new)'s own client ids and secrets (\(Self.list(secrets))), and switch \
            it on
            """
        case .banTemplates(let count): "ban texts: \(count)"
        case .replies(let count): "replies of support: \(count)"
        case .statusText: "text of the status"
        case .maintenanceTexts(let end):
            "texts of the maintenance that ended \(Words.time(end.milliseconds)), for the next one"
        case .redirects(let redirects):
            """
            redirects (\(Self.list(redirects))): they lead into \(other)'s game; `gatehouse app accounts \(new) \
            --redirect` sets its own
            """
        case .unlimited(let limits):
            "limits that \(other) does not have (\(Self.list(limits))): \(new) has the defaults"
        case .fakeProviders(let providers):
            "\(Self.list(providers.map(\.rawValue))): of the fake world, where everybody can be everybody"
        case .archivedTemplates(let count): "archived ban texts: \(count)"
        case .status(let status): "status (\(status.name)) and its text: \(new) is in service"
        case .maintenance(let end):
            "maintenance until \(Words.time(end.milliseconds)): it would keep \(new)'s players out"
        case .clientRules(let count): "rules by client: \(count), about the versions of \(other)'s game"
        case .testDevices(let count): "test devices: \(count), whose keys are of \(other)'s game"
        case .alertReceivers(let count): "receivers of alerts: \(count), whose addresses are secret"
        case .legacySources(let count): "systems that players come from: \(count), whose keys are secret"
        }
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
