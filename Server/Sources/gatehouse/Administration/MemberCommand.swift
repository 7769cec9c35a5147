import ArgumentParser
import GatehouseCore
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
                    try await $0.run(ReadMemberReport(user: member.id), in: $1),
                    try await LoginAnswer.read(member.id, $0, in: $1)
                )
            }
            let found = report.member
            Terminal.say("user id      \(found.userId)")
            Terminal.say("status       \(found.status)")
            Terminal.say("registered   \(Words.time(found.registrationDate))")
            Terminal.say("last login   \(Words.time(found.lastLoginDate))")
            for mapping in found.mappings {
                Terminal.say(
                    "identity     \(mapping.provider)\t\(mapping.subject)\t\(Words.time(mapping.registrationDate))")
            }
            if let withdrawal = found.temporaryWithdrawal {
                Terminal.say("withdraws    \(Words.time(withdrawal.gracePeriodDate))")
            }
            if let graceBan = found.graceBan {
                Terminal.say(
                    "grace ban    until \(Words.time(graceBan.gracePeriodDate)), \(GraceBanCommand.progress(graceBan))")
            }
            if let ban = report.ban { Terminal.say("ban          \(BanCommand.line(ban))") }
            if let end = report.restorableUntilDate {
                let providers = report.formerProviders.map(\.rawValue).joined(separator: ", ")
                Terminal.say("restorable   until \(Words.time(end)), with \(providers)")
            }
            login.show(all: false)
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
        @Flag(help: "Print the answer as JSON.") var json = false

        func run() async throws {
            let answer = try await member.open { try await LoginAnswer.read(member.id, $0, in: $1) }
            if json { try Terminal.json(answer) } else { answer.show(all: true) }
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
            let list = ListMembers(
                status: status.map { MemberStatus($0) }, after: after.map { UserID($0) }, limit: limit)
            for member in try await app.run(list) { Terminal.say(MemberCommand.line(member)) }
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find members by whatever you hold, as the console does.",
            discussion: """
                A user id or its beginning, the subject of an identity (`google:1234` names the provider, too), also of one that a member \
                had, the id of a transfer account, of a session or of a ban. A guest's subject is the thumbprint of its device's key.
                """)

        @OptionGroup var app: AppArguments
        @Argument(help: "A user id, an account at an identity provider, or another id.") var text: String

        func run() async throws {
            let members = try await app.run(SearchMembers(text: text))
            guard !members.isEmpty else {
                Terminal.say("nobody")
                throw ExitCode.failure
            }
            for member in members { Terminal.say(MemberCommand.line(member)) }
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what has happened to a member: when, what, who, by which door, why.")

        @OptionGroup var member: MemberArguments

        func run() async throws {
            let entries = try await member.run(ReadHistory(user: member.id))
            for entry in entries {
                let details = entry.details.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
                let who = [entry.origin.actor.rawValue, entry.origin.name].compactMap { $0 }.joined(separator: ":")
                Terminal.row([
                    Words.time(entry.date), entry.event.rawValue, who, entry.origin.door.rawValue, details,
                    entry.origin.reason ?? "",
                ])
            }
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
            Terminal.say("\(member.user) is back with \(restoration.provider)")
            if let other = restoration.other, let outcome = restoration.outcome {
                Terminal.say("\(other), who had it, \(outcome.rawValue)")
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
                        Terminal.say("\(user) has withdrawn")
                    } catch let refusal as Refusal {
                        guard refusal.code == .authNotExistMember else { throw refusal }
                        Terminal.say("\(user) is not there any more")
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
            Terminal.say("\(user ?? "everyone") must log in again")
        }
    }

    fileprivate static func line(_ member: Member) -> Terminal.Text {
        let identities = member.mappings.map { "\($0.provider):\($0.subject)" }.joined(separator: " ")
        return .init(columns: [
            member.userId.rawValue, member.status.rawValue, Words.time(member.registrationDate),
            Words.time(member.lastLoginDate), identities,
        ])
    }
}
