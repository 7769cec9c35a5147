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
            guard let report = try await member.run(ReadTransferReport(user: member.id)) else {
                Terminal.say("\(member.user) has no transfer account")
                throw ExitCode.failure
            }
            MemberTransferCommand.say(report.account)
            Terminal.say("used         \(Words.time(report.usedAt?.milliseconds))")
            Terminal.say("wrong        \(report.failedAttempts) in a row")
            Terminal.say("blocked      \(report.blockedUntil.map { "until \(Words.time($0.milliseconds))" } ?? "no")")
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
            Terminal.say(isDone ? "\(member.user) has all attempts anew" : "\(member.user) had all attempts")
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
                ReissueTransferAccount(target: target, user: member.id), reason: reason)
            MemberTransferCommand.say(account)
            Terminal.say("password     \(account.password?.secretValue ?? "")")
        }
    }

    private static func say(_ account: TransferAccount) {
        Terminal.say("id           \(account.id)")
        Terminal.say("issued       \(Words.time(account.registrationDate)), \(account.issuedType)")
        Terminal.say(
            "valid until  \(account.expiryDate.map { Words.time($0) } ?? "for ever"), \(account.transferAccountType)")
    }
}
