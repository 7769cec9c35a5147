import ArgumentParser
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire

/// `gatehouse ban grace`.
struct GraceBanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grace", abstract: "Ban members at a deadline, unless they have paid until then.",
        discussion: """
            A member with a grace ban plays on, and each login tells the game of it. The game's server reports payments, which count \
            towards the condition. Once it is met, the member is released; at the deadline it is banned for good.
            """,
        subcommands: [Add.self, List.self, Cancel.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Register the grace ban of a member.")

        @OptionGroup var member: MemberArguments
        @Option(help: "The deadline, such as 2026-12-01T03:00:00+09:00.") var until: String
        @Option(help: "What the player reads.") var message: String
        @Option(help: "The amount to be paid; 0 does not count.") var amount = 0.0
        @Option(help: "The number of payments to be made; 0 does not count.") var count = 0
        @Option(help: "The currency that counts, such as KRW.") var currency: String
        @Flag(help: "Either the amount or the number is enough; without it, both are needed.") var either = false
        @Option(help: "Why, for operators.") var reason: String

        func run() async throws {
            let graceBan = GraceBan(
                gracePeriodDate: try Words.date(until).milliseconds, message: message,
                paymentStatus: PaymentStatus(amount: 0, count: 0, currency: currency),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: amount, count: count, currency: currency, conditionType: either ? .or : .and))
            let request = GraceBanRequest(
                userId: member.id, graceBan: graceBan, registeredBy: Administration.operatorName)
            let registered = try await member.run(RegisterGraceBan(request: request), reason: reason)
            member.output.done(
                "\(member.user) is banned at \(Words.time(registered.gracePeriodDate)) unless it has paid")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List grace bans with what was paid so far, newest first: those that hold their members now.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The user id: all of this member, also those that have ended.") var user: String?
        @Flag(help: "Those that have ended, too.") var all = false
        @Option(help: "Only those that began before a time such as 2026-12-01T03:00:00Z.") var before: String?
        @Option(help: "How many, up to 1000.") var limit = 100

        func run() async throws {
            let list = ListGraceBans(
                user: user.map { UserID($0) }, isOpen: user == nil && !all, end: try before.map(Words.date),
                limit: limit)
            let records = try await app.run(list)
            try app.output.list(
                ["userId", "from", "until", "paid", "by", "outcome"], records.map(GraceBanCommand.row))
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End a member's grace ban without a ban.")

        @OptionGroup var member: MemberArguments
        @Option(help: "Why, for operators.") var reason: String

        func run() async throws {
            try await member.run(ReleaseGraceBan(user: member.id), reason: reason)
            member.output.done("\(member.user) is released from its grace ban")
        }
    }

    private static func row(_ record: GraceBanRecord) -> [Shown] {
        let end =
            switch record.outcome {
            case _ where record.isOpen: "open"
            case let outcome?: "\(outcome) \(Words.time(record.endedAt?.milliseconds))"
            case nil: "ended"
            }
        return [
            .text(record.user.rawValue), .time(record.beginsAt.milliseconds), .time(record.graceBan.gracePeriodDate),
            .text(progress(record.graceBan)), .text(record.registeredBy), .text(end),
        ]
    }

    /// The payments so far and the required ones, such as `20000.0 of 50000.0 KRW and 1 of 2 payments`.
    static func progress(_ graceBan: GraceBan) -> String {
        let (paid, condition) = (graceBan.paymentStatus, graceBan.releaseRuleCondition)
        let parts = [
            condition.amount > 0 ? "\(paid.amount) of \(condition.amount) \(condition.currency)" : nil,
            condition.count > 0 ? "\(paid.count) of \(condition.count) payments" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: condition.conditionType == .or ? " or " : " and ")
    }
}
