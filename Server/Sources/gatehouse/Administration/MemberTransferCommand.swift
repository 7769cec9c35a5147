import ArgumentParser
import GatehouseCore
import GatehouseSecurity
import GatehouseWire

/// `gatehouse member transfer`.
struct MemberTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "See, unblock and reissue the transfer account of a guest.",
        subcommands: [Show.self, Unblock.self, Reissue.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a member's transfer account. Its password is nowhere: there is only a hash.")

        @OptionGroup var member: MemberArguments

        func run() async throws {
            guard let report = try await member.run(.transferReport(of: member.id)) else {
                Terminal.complain("\(member.user) has no transfer account")
                throw ExitCode.failure
            }
            let end = report.blockedUntil.map { Words.time($0.milliseconds) }
            try member.output.show(
                MemberTransferCommand.facts(report.account) + [
                    Fact("used", .time(report.usedAt?.milliseconds)),
                    Fact(
                        "wrong",
                        Shown(text: "\(report.failedAttempts) in a row", value: .integer(Int64(report.failedAttempts)))),
                    Fact(
                        "blockedUntil", label: "blocked",
                        Shown(text: end.map { "until \($0)" } ?? "no", value: Shown.text(end).value)),
                ])
        }
    }

    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a transfer account all its attempts anew.",
            discussion: """
                After too many wrong passwords an account is blocked for a while. So is a device that has tried in vain: that block \
                ends by itself, and another device can be used meanwhile.
                """)

        @OptionGroup var member: MemberArguments
        @Option(help: "Why, for the ledger.") var reason: String

        func run() async throws {
            let isDone = try await member.run(UnblockTransferAccount(user: member.id), reason: reason)
            member.output.done(isDone ? "\(member.user) has all attempts anew" : "\(member.user) had all attempts")
        }
    }

    struct Reissue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issue a guest's transfer account anew, and print it: the password is shown only here.",
            discussion: """
                For a player who has lost the pair, or the device before one was issued. Whoever has the pair has the guest: make \
                sure who asks. The old pair is void at once.
                """)

        @OptionGroup var member: MemberArguments
        @Flag(help: "Only the password is new; the id stays.") var passwordOnly = false
        @Option(help: "Why, for the ledger.") var reason: String

        func run() async throws {
            let target: TransferRenewal.Target = passwordOnly ? .password : .idAndPassword
            let account = try await member.run(
                ReissueTransferAccount(target: target, user: member.id), reason: reason, audit: .inDatabaseAlone)
            let password = Fact("password", .text(account.password?.secretValue))
            try member.output.show(MemberTransferCommand.facts(account) + [password])
        }
    }

    private static func facts(_ account: TransferAccount) -> [Fact] {
        let issued = Words.time(account.registrationDate)
        let end = account.expiryDate.map { Words.time($0) }
        return [
            Fact("id", .text(account.id)),
            Fact("issued", Shown(text: "\(issued), \(account.issuedType)", value: .string(issued))),
            Fact(
                "validUntil",
                Shown(text: "\(end ?? "for ever"), \(account.transferAccountType)", value: Shown.text(end).value)),
        ]
    }
}
