import Foundation
import GatehouseCore
import Testing

@testable import gatehouse

/// Commands that do the same as an action of the console take the same, and each setting of a command is also one of the environment.
@Suite struct CommandFieldTests {
    /// A command and the action that does the same.
    private struct Pair {
        let command: String
        let action: any OperatorAction.Type
        /// The options and arguments of the command with the fields of the action for which they stand.
        let same: [String: String]
        /// What the command alone takes, with the reason.
        var commandAlone: [String: String] = [:]
        /// What the action alone takes, with the reason.
        var actionAlone: [String: String] = [:]
    }

    private static let record = "The console's Undo names the record that it undoes; a file names the members."
    private static let planned = "That is maintenance.planned."
    private static let named = "An own key has neither a name nor chosen scopes."
    private static let scope = "The command's `--scope` names it."
    private static let app = ["id": "The commands about an app name it by its id alone."]
    private static let pairs = [
        Pair(
            command: "ban add", action: BanMember.self,
            same: ["user": "user", "until": "until", "permanent": "length", "template": "template"],
            commandAlone: ["file": "A list is members.banned."]),
        Pair(
            command: "ban add", action: BanListedMembers.self,
            same: ["file": "users", "until": "until", "permanent": "length", "template": "template"],
            commandAlone: ["user": "One member is member.banned."], actionAlone: ["earlier": record]),
        Pair(
            command: "ban release", action: ReleaseBan.self, same: ["user": "user"],
            commandAlone: ["file": "A list is members.released."]),
        Pair(
            command: "ban release", action: ReleaseListedBans.self, same: ["file": "users"],
            commandAlone: ["user": "One member is ban.released."], actionAlone: ["earlier": record]),
        Pair(command: "ban grace cancel", action: ReleaseGraceBan.self, same: ["user": "user"]),
        Pair(command: "member withdraw", action: WithdrawMember.self, same: ["users": "user"]),
        Pair(
            command: "member restore", action: RestoreMember.self, same: ["user": "user"],
            commandAlone: ["idp": "The console gives back the identity that left last."]),
        Pair(
            command: "member transfer reissue", action: ReissueTransferAccount.self,
            same: ["user": "user", "password-only": "kind"]),
        Pair(
            command: "member sessions end", action: EndMemberSession.self,
            same: ["user": "user", "session": "session"],
            commandAlone: ["all": "That is member.kicked-out."]),
        Pair(command: "member transfer unblock", action: UnblockTransferAccount.self, same: ["user": "user"]),
        Pair(
            command: "app status", action: SetStatus.self, same: ["status": "status", "message": "message.LANGUAGE"],
            commandAlone: app, actionAlone: ["earlier": record]),
        Pair(
            command: "app test-device", action: AddTestDevice.self, same: ["add": "device", "note": "note"],
            commandAlone: app.merging(["remove": "That is test-device.removed."]) { $1 },
            actionAlone: ["earlier": record]),
        Pair(
            command: "app test-device", action: RemoveTestDevice.self, same: ["remove": "device"],
            commandAlone: app.merging(["add": "That is test-device.added.", "note": "Only a new device has one."]) {
                $1
            }),
        Pair(
            command: "app rule add", action: AddClientRule.self,
            same: [
                "status": "status", "os": "os", "store": "store", "from": "from", "below": "below", "url": "url",
                "message": "message.LANGUAGE", "position": "position",
            ], commandAlone: app,
            actionAlone: [
                "earlier": record, "rule": record, "os-other": "The command's `--os` takes a system by any name.",
                "store-other": "The command's `--store` takes a store by any name.",
            ]),
        Pair(command: "app rule remove", action: RemoveClientRule.self, same: ["rule": "rule"], commandAlone: app),
        Pair(
            command: "app rotate-key", action: RotateSigningKey.self, same: [:],
            commandAlone: app.merging(["revoke-others": "That is key.rotated-revoking."]) { $1 }),
        Pair(
            command: "app rotate-key", action: ReplaceSigningKeys.self, same: [:],
            commandAlone: app.merging(["revoke-others": "The action does nothing else."]) { $1 }),
        Pair(command: "app revoke-secret", action: RevokeSecret.self, same: ["secret": "key"], commandAlone: app),
        Pair(command: "app revoke-old-secrets", action: RevokeOldSecrets.self, same: [:], commandAlone: app),
        Pair(command: "idp enable", action: EnableIdentityProvider.self, same: ["idp": "provider"]),
        Pair(command: "idp disable", action: DisableIdentityProvider.self, same: ["idp": "provider"]),
        Pair(
            command: "ban template", action: AddBanTemplate.self,
            same: ["code": "template", "name": "name", "message": "text.LANGUAGE"]),
        Pair(
            command: "ban template", action: ChangeBanTemplate.self,
            same: ["code": "template", "name": "name", "message": "text.LANGUAGE"], actionAlone: ["earlier": record]),
        Pair(
            command: "ban grace add", action: BeginGraceBan.self,
            same: [
                "user": "user", "until": "days", "message": "message", "amount": "amount", "count": "count",
                "currency": "currency", "either": "condition",
            ]),
        Pair(
            command: "member kick-out", action: KickOutMember.self,
            same: ["user": "user", "message": "message.LANGUAGE"],
            commandAlone: ["everyone": "That is kick-out.everyone."]),
        Pair(
            command: "member kick-out", action: KickOutEveryone.self, same: ["message": "message.LANGUAGE"],
            commandAlone: ["user": "That is member.kicked-out.", "everyone": "The action has no other members."]),
        Pair(
            command: "app maintenance", action: PlanMaintenance.self,
            same: ["begin": "begin", "end": "end", "message": "message.LANGUAGE", "url": "url"],
            commandAlone: app.merging(["remove": "That is maintenance.ended."]) { $1 },
            actionAlone: [
                "earlier": record, "past": "The console begins with a window that is over.",
                "reason-word": "It is the command's `--reason`.",
            ]),
        Pair(
            command: "app maintenance", action: EndMaintenance.self, same: [:],
            commandAlone: app.merging([
                "remove": "The action does nothing else.", "begin": planned, "end": planned, "message": planned,
                "url": planned,
            ]) { $1 }),
        Pair(
            command: "app limits", action: SetLimits.self,
            same: [
                "new-guests": "newGuestsPerMinute", "refused-proofs": "refusedProofsPerMinute",
                "changes": "changesPerMinute", "sessions": "liveSessions", "wrong-transfers": "wrongTransfersPerHour",
            ], commandAlone: app, actionAlone: ["earlier": record]),
        Pair(
            command: "app accounts", action: SetAccountPolicy.self,
            same: [
                "withdrawal-grace-days": "graceDays", "restore-days": "restoreDays",
                "support-contact": "supportContact", "support-url": "supportURL", "redirect": "redirects",
                "on-consent-revoked": "consentRevoked", "on-account-deleted": "accountDeleted",
                "revoke-consent": "consent", "time-zone": "timeZone",
            ], commandAlone: app,
            actionAlone: [
                "earlier": record, "defaultLanguage": "`gatehouse do accounts.set` has it.",
                "ticketURL": "It is for the console.",
            ]),
        Pair(
            command: "app transfer", action: SetTransferPolicy.self,
            same: [
                "on": "transferOn", "off": "transferOn", "id-letters": "transferIdLetters",
                "id-length": "transferIdLength", "password-letters": "transferPasswordLetters",
                "password-length": "transferPasswordLength", "uses": "transferUses", "days": "transferDays",
                "attempts": "transferAttempts", "block-minutes": "transferBlockMinutes", "keys": "transferKeys",
            ], commandAlone: app, actionAlone: ["earlier": record]),
        Pair(
            command: "app rotate-secret", action: CreateSecret.self, same: [:], commandAlone: app,
            actionAlone: [
                "kind": "It is one of the app's own.", "name": named, "scope.check": named, "scope.moderate": named,
                "scope.erase": named, "scope.profile": named, "scope.migrate": named,
            ]),
        Pair(
            command: "app add-secret", action: CreateSecret.self, same: ["name": "name", "scope": "scope.check"],
            commandAlone: app,
            actionAlone: [
                "kind": "It has a name.", "scope.moderate": scope, "scope.erase": scope, "scope.profile": scope,
                "scope.migrate": scope,
            ]),
    ]

    /// What commands run that no form of `gatehouse do` could be compared with, by the reason.
    private static let uncompared: [String: Set<String>] = [
        "It only reads.": [
            "CheckSecret", "ExplainLogin", "ExportMember", "FindRefusals", "ListJobs", "ListMemberSessions",
            "ListOperators", "ListSecrets", "ListTestDevices", "PlanImport", "ReadApp", "ReadForm", "ReadPreview",
            "TestLegacyCredential", "VerifyImport",
        ],
        "Its forms are compared: those of one member, of a list, and of everyone.": [
            "BanMembers", "ReleaseBans", "KickOut",
        ],
        "Its form depends on the kind of provider, which says the options.": [
            "SaveIdentityProvider", "TestIdentityProvider",
        ],
        "It is about the server, and `gatehouse do` is about an app.": [
            "CreateApp", "InviteOperator", "GrantOperator", "ResetOperatorFactor", "DisableOperator",
            "EnableOperator",
        ],
        "Only the command does it.": [
            "BeginImport", "CloseLegacySource", "CreateAppLike", "ExportApp", "FinishImport", "RecordServerEvent",
            "ReleaseLegacyMember", "ReplayAccess", "ReplayErasures", "ResumeImport", "SetLegacySource", "UndoImport",
            "WriteImport",
        ],
    ]

    @Test("A command takes what the action takes that does the same, but for what is listed with a reason")
    func fields() async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("game", in: folder).status == 0)
            let dump = try await Command.run(["--experimental-dump-help"], in: folder)
            let root = try JSONDecoder().decode(CommandHelp.self, from: Data(dump.text.utf8)).command
            // The app, the database, the reason and a dry run are the same for every action.
            let common = try #require(root.subcommand(["do"])).names
            for pair in Self.pairs {
                let words = pair.command.split(separator: " ").map(String.init)
                let options = try #require(root.subcommand(words), "\(pair.command)").names.subtracting(common)
                #expect(options == Set(pair.same.keys).union(pair.commandAlone.keys), "\(pair.command)")
                let list = try await Command.run(["do", pair.action.about.name, "--list"], in: folder)
                // The first row has the headings.
                let rows = list.lines.filter { $0.contains("\t") }.dropFirst().map { $0.prefix { $0 != "\t" } }
                let fields = Set(rows.map(String.init))
                #expect(fields == Set(pair.same.values).union(pair.actionAlone.keys), "\(pair.action)")
                #expect(Set(pair.same.keys).isDisjoint(with: pair.commandAlone.keys), "\(pair.command)")
                #expect(Set(pair.same.values).isDisjoint(with: pair.actionAlone.keys), "\(pair.action)")
            }
        }
    }

    @Test("Each command that changes something runs an action of the console, and is compared with it")
    func complete() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources").standardizedFileURL
        func texts(_ module: String) throws -> [String] {
            let folder = sources.appending(path: module)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
                try String(contentsOf: $0, encoding: .utf8)
            }
        }
        let commands = try texts("gatehouse")
        #expect(commands.count > 30)
        // What can be run has a function that performs it.
        let useCase = /package struct (\w+)[^{\n]*\{(?:(?!\n\}\n).)*?func perform\(_/.dotMatchesNewlines()
        let known = try texts("GatehouseCore").flatMap { $0.matches(of: useCase).map { String($0.output.1) } }
        #expect(known.count > 150)
        let made = Set(commands.flatMap { $0.matches(of: /\b([A-Z]\w+)(\(| \{)/).map { String($0.output.1) } })
        let used = known.filter(made.contains)
        let compared = Set(Self.pairs.map { "\($0.action)" })
        let others = Self.uncompared.values.reduce(Set()) { $0.union($1) }
        #expect(Set(used).subtracting(compared) == others)
    }

    /// What the commands take that are run with a wrong setting: the values of what must be given, and what else a call needs.
    private static let values = [
        "kind": "firebase", "role": "owner", "scope": "check", "status": "in-service", "until": "2040-01-01T00:00:00Z",
    ]
    private static let additions = [
        "app maintenance": ["--remove"], "ban add": ["x", "--permanent"], "ban release": ["x"],
        "do": ["member.banned", "--list"], "member kick-out": ["--everyone"], "member sessions end": ["--all"],
        "restore": ["--confirm"],
    ]
    /// Settings of which no value is wrong by itself.
    private static let free: Set = ["key-file", "mail-from", "storage"]
    /// A wrong value that is not `x`, and what the refusal names that does not name the variable.
    private static let wrong = [
        "app": ("x", "There is no app x in this database"), "host": ("0.0.0.0", "public-url is missing"),
        "tls-certificate": ("x", "tls-certificate and tls-key go together"),
        "tls-key": ("x", "tls-certificate and tls-key go together"),
    ]
    /// Flags that are called like a setting and are none.
    private static let others = ["operator create": "app", "operator grant": "app"]

    @Test(
        "A flag that is a setting has its environment variable with every command, as the help promises",
        .timeLimit(.minutes(10)))
    func variables() async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("game", in: folder).status == 0)
            let dump = try await Command.run(["--experimental-dump-help"], in: folder)
            let root = try JSONDecoder().decode(CommandHelp.self, from: Data(dump.text.utf8)).command
            let settings = KnownSetting.names.union(["config", "to-database"])
            var seen = Set<String>()
            for (words, command) in root.leaves() {
                let call = words.joined(separator: " ")
                var names = command.names.intersection(settings)
                seen.formUnion(names)
                names.subtract(Self.free.union([Self.others[call] ?? ""]))
                // The app of a player is one of a server, and not of a database.
                if !command.names.contains("database") { names.remove("app") }
                let arguments = words + command.required(Self.values) + (Self.additions[call] ?? [])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for name in names {
                        let variable = "GATEHOUSE_" + name.uppercased().replacing("-", with: "_")
                        let (value, words) = Self.wrong[name] ?? ("x", "the environment variable \(variable)")
                        group.addTask {
                            let result = try await Command.run(arguments, in: folder, environment: [variable: value])
                            #expect(result.status != 0, "\(call), \(variable): \(result.text)")
                            #expect(result.text.contains(words), "\(call), \(variable): \(result.text)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(seen == settings)
        }
    }
}

/// What the command says of itself.
struct CommandHelp: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let name: String
            }
            let names: [Name]?
            let valueName: String?
            let isOptional: Bool
            let kind: String
        }
        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// Its options and arguments.
        var names: Set<String> {
            Set((arguments ?? []).flatMap { $0.names?.map(\.name) ?? [$0.valueName ?? ""] })
        }

        /// The commands without subcommands, with the words by which they are called.
        func leaves(_ words: [String] = []) -> [(words: [String], command: Command)] {
            guard let subcommands else { return [(words, self)] }
            return subcommands.flatMap { $0.leaves(words + [$0.commandName]) }
        }

        /// What must be given, with these values, or else `x`.
        func required(_ values: [String: String]) -> [String] {
            (arguments ?? []).filter { !$0.isOptional }.flatMap { argument in
                let name = argument.names?.first?.name
                let value = values[name ?? argument.valueName ?? ""] ?? "x"
                return (name.map { ["--\($0)"] } ?? []) + [value]
            }
        }

        func subcommand(_ words: [String]) -> Command? {
            guard let first = words.first else { return self }
            return subcommands?.first { $0.commandName == first }?.subcommand(Array(words.dropFirst()))
        }
    }
    let command: Command
}
