import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

struct MemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member", abstract: "Look at members, bring them back, let them go.",
        subcommands: [
            Show.self, CanLogIn.self, List.self, Search.self, History.self, Restore.self, Withdraw.self, KickOut.self,
            MemberExportCommand.self, MemberSessionsCommand.self, MemberTransferCommand.self,
        ])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one member, and whether it can log in now.")

        @OptionGroup var member: MemberArguments

        func run() async throws {
            let (report, login) = try await member.open {
                (
                    try await $0.run(.memberReport(of: member.id), in: $1),
                    try await LoginAnswer.read(member.id, $0, in: $1)
                )
            }
            guard !member.output.json else { return try Terminal.json(Answer(report, login)) }
            let identities = report.member.mappings.map { mapping -> Fact in
                let date = Words.time(mapping.registrationDate)
                return Fact("identity", .text("\(mapping.provider)  \(mapping.subject)  \(date)"))
            }
            try member.output.show(
                MemberCommand.facts(report.member) + identities + Self.limits(report), width: LoginAnswer.width)
            login.show(all: false)
        }

        /// What ends, or may end.
        private static func limits(_ report: MemberReport) -> [Fact] {
            var facts: [Fact] = []
            if let withdrawal = report.member.temporaryWithdrawal {
                facts.append(Fact("withdraws", .time(withdrawal.gracePeriodDate)))
            }
            if let ban = report.member.graceBan {
                let end = Words.time(ban.gracePeriodDate)
                facts.append(Fact("graceBan", .text("until \(end), \(GraceBanCommand.progress(ban))")))
            }
            if let ban = report.ban {
                let end = ban.endsAt.map { Words.time($0.milliseconds) } ?? "for ever"
                let words = "\(ban.type.rawValue), until \(end), by \(ban.caller):\(ban.registeredBy): \(ban.reason)"
                facts.append(Fact("ban", .text(words)))
            }
            if let end = report.restorableUntilDate {
                let providers = report.formerProviders.map(\.rawValue).joined(separator: ", ")
                facts.append(Fact("restorable", .text("until \(Words.time(end)), with \(providers)")))
            }
            return facts
        }

        /// The same for programs. The member is as in the HTTP API.
        private struct Answer: Encodable {
            let member: Member
            let ban: JSONValue?
            let restorableUntilDate: Int64?
            let formerProviders: [Provider]
            let login: LoginAnswer

            init(_ report: MemberReport, _ login: LoginAnswer) {
                member = report.member
                ban = report.ban.map { ban in
                    JSONValue.object(Dictionary(zip(BanCommand.columns, BanCommand.row(ban).map(\.value))) { $1 })
                }
                (restorableUntilDate, formerProviders) = (report.restorableUntilDate, report.formerProviders)
                self.login = login
            }
        }
    }

    struct CanLogIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "can-log-in",
            abstract: "Say whether a member can log in now, and what was looked at, as the console's page of it does.",
            discussion: """
                It ends with 0 if the member can log in, with 2 if it can't or does not exist, and with 1 if that could not be found \
                out. A rule by client counts as for the client that the player has used last. Test devices, which play during \
                maintenance, are not looked at.
                """)

        @OptionGroup var member: MemberArguments

        func run() async throws {
            let answer = try await member.open { try await LoginAnswer.read(member.id, $0, in: $1) }
            if member.output.json { try Terminal.json(answer) } else { answer.show(all: true) }
            guard answer.canLogIn else { throw ExitCode(2) }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List members in the order of their registration.")

        @OptionGroup var app: AppArguments
        @Option(help: "Only those of a status: Y, B, T, P, D or M.") var status: String?
        @Option(help: "The user id after which to begin: the last one of the page before.") var after: String?
        @Option(help: "How many, up to 1000.") var limit = 50

        func run() async throws {
            let list = Read.members(
                status: status.map { MemberStatus($0) }, after: after.map { UserID($0) }, limit: limit)
            let members = try await app.run(list)
            try app.output.list(MemberCommand.columns, members.map { MemberCommand.facts($0).map(\.shown) })
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find members by whatever you hold, as the console does.",
            discussion: """
                A user id or its beginning, the subject of an identity (`google:1234` names the provider, too), also of one that a member \
                had, the id of a transfer account, of a session or of a ban. A guest's subject is the thumbprint of its device's key. The \
                transaction id that a player's error shows finds whose call was refused, and why.
                """)

        @OptionGroup var app: AppArguments
        @Argument(help: "A user id, an account at an identity provider, or another id.") var text: String

        func run() async throws {
            let (members, refusals) = try await app.open { administration, app in
                let members = try await administration.run(.members(foundBy: text), in: app)
                guard members.isEmpty else { return (members, [RefusedCall]()) }
                let refusals = try await administration.run(FindRefusals(transactionID: text), in: app)
                guard let user = refusals.compactMap(\.user).first else { return ([], refusals) }
                return (try await administration.run(.members(foundBy: user.rawValue), in: app), refusals)
            }
            for refusal in refusals {
                let reason = refusal.reason.map { " (\($0.rawValue))" } ?? ""
                Terminal.complain(
                    "refused at \(Words.time(refusal.date.milliseconds)): \(refusal.code.rawValue)\(reason), \(refusal.call)"
                )
            }
            guard !members.isEmpty else {
                Terminal.complain(refusals.isEmpty ? "nobody" : "The call was refused before its player was known.")
                throw ExitCode.failure
            }
            let rows = members.map { member -> [Shown] in
                let identities = member.mappings.map { "\($0.provider):\($0.subject)" }
                return MemberCommand.facts(member).map(\.shown) + [.list(identities, separator: " ")]
            }
            try app.output.list(MemberCommand.columns + ["identities"], rows)
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what has happened to a member: when, what, who, by which door, why.")

        @OptionGroup var member: MemberArguments

        func run() async throws {
            let entries = try await member.run(.history(of: member.id))
            let rows = entries.map { entry -> [Shown] in
                let details = entry.details.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
                let who = [entry.origin.actor.rawValue, entry.origin.name].compactMap { $0 }.joined(separator: ":")
                return [
                    .time(entry.date), .text(entry.event.rawValue), .text(who), .text(entry.origin.door.rawValue),
                    Shown(text: details, value: .object(entry.details.mapValues { .string($0) })),
                    Shown(text: entry.origin.reason ?? "", value: Shown.text(entry.origin.reason).value),
                ]
            }
            try member.output.list(["time", "event", "who", "door", "details", "reason"], rows)
            if entries.isEmpty { throw ExitCode.failure }
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring back a member that has lost its last identity, with one of its former identities.",
            discussion: """
                The identity is taken back from whoever has it now. Who has no other then is the guest again that it was \
                before, or is frozen and can be restored in turn.
                """)

        @OptionGroup var member: MemberArguments
        @Option(help: "The identity provider. Default: the one that was lost last") var idp: String?
        @Option(help: "Why, for the ledger.") var reason: String

        func run() async throws {
            let restoration = try await member.run(
                RestoreMember(user: member.id, provider: idp.map { Provider($0) }), reason: reason)
            member.output.done("\(member.user) is back with \(restoration.provider)")
            if let other = restoration.other, let outcome = restoration.outcome {
                member.output.done("\(other), who had it, \(outcome.rawValue)")
            }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Withdraw members at once: everything personal is deleted, and nothing brings it back.",
            discussion:
                "One who has withdrawn already, or is unknown, is passed over: so that a list can be worked off again.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The user ids.") var users: [String]
        @Option(help: "Why, for the ledger.") var reason: String

        func run() async throws {
            try await app.open { administration, app in
                for user in users {
                    do {
                        try await administration.run(WithdrawMember(user: UserID(user)), in: app, reason: reason)
                        self.app.output.done("\(user) has withdrawn")
                    } catch let refusal as Refusal {
                        guard refusal.code == .authNotExistMember else { throw refusal }
                        self.app.output.done("\(user) is not there any more")
                    }
                }
            }
        }
    }

    struct KickOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End the sessions of a member, or of everyone.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The user id.") var user: String?
        @Flag(help: "Everyone of the app.") var everyone = false
        @Option(help: "What players read, as LANGUAGE=TEXT; may be given several times.") var message: [String] = []

        func run() async throws {
            guard everyone == (user == nil) else { throw ValidationError("Give either a user id or --everyone.") }
            let texts = try Words.texts(message)
            try await app.run(GatehouseCore.KickOut(user: user.map { UserID($0) }, message: texts))
            app.output.done("\(user ?? "everyone") must log in again")
        }
    }

    fileprivate static let columns = ["userId", "status", "registered", "lastLogin"]

    fileprivate static func facts(_ member: Member) -> [Fact] {
        let values: [Shown] = [
            .text(member.userId.rawValue), .status(member.status), .time(member.registrationDate),
            .time(member.lastLoginDate),
        ]
        return zip(columns, values).map { Fact($0, $1) }
    }
}

struct MemberExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print everything that is stored about a member, as JSON, for the person who asks for it.",
        discussion: """
            Credentials, and the names of operators, are left out; the part leftOut says what and why. Before you send it to \
            somebody, make sure that the member is theirs.
            """)

    @OptionGroup var member: MemberArguments
    @Option(help: "A file that is not there yet, for its owner alone. Default: standard output") var output: String?

    func run() async throws {
        let export = try await member.run(ExportMember(user: member.id))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = try encoder.encode(Self.document(export))
        guard let output else { return Terminal.say(.init(lines: String(decoding: document, as: UTF8.self))) }
        let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(output) can't be written: \(String(cString: strerror(errno))).")
        }
        try OpenFile(descriptor: descriptor).write(document + Data("\n".utf8))
        Terminal.say("\(output) holds everything that is stored about \(member.user)")
    }

    private static func document(_ export: MemberExport) -> JSONValue {
        .object([
            "userId": .string(export.user.rawValue), "app": .string(export.app.rawValue),
            "exportedAt": .string(Words.time(export.exportedAt)),
            "stored": .object(
                export.tables.mapValues { rows in
                    .array(rows.map { .object($0.reduce(into: [:]) { $0[$1.key] = readable($1.value, $1.key) }) })
                }),
            "toldByProviders": .object(export.profiles),
            "leftOut": .object(export.leftOut.mapValues { .string($0) }),
        ])
    }

    /// Writes times as people do.
    private static func readable(_ value: JSONValue, _ column: String) -> JSONValue {
        guard case .integer(let number) = value else { return value }
        return switch ExportedNumber(number, in: column) {
        case .day(let day): .string(String(Words.time(day.milliseconds).prefix(10)))
        case .moment(let moment): .string(Words.time(moment.milliseconds))
        case .other: value
        }
    }
}
