import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire

struct BanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban", abstract: "Ban members and release them.",
        subcommands: [Add.self, Release.self, List.self, Template.self, GraceBanCommand.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ban a member, or those of a file, and end their sessions on every node.")

        @OptionGroup var app: AppArguments
        @OptionGroup var members: MemberSelection
        @Option(help: "When the ban ends, such as 2026-12-01T03:00:00+09:00.") var until: String?
        @Flag(help: "For ever.") var permanent = false
        @Option(help: "The code of the template with what the player reads.") var template: Int?
        @Option(help: "Why, for operators.") var reason: String

        func run() async throws {
            guard permanent == (until == nil) else { throw ValidationError("Give either --until or --permanent.") }
            let end = try until.map(Words.date)
            if let file = members.file { return try await ban(file, until: end) }
            let user = members.user ?? ""
            let outcome = try await app.run(BanMembers([UserID(user)], until: end, template: template), reason: reason)
            guard outcome.failedUserIds.isEmpty else {
                Terminal.complain("\(user) is unknown, gone, or banned already")
                throw ExitCode.failure
            }
            app.output.done("\(user) is banned \(until.map { "until \($0)" } ?? "for ever")")
        }

        private func ban(_ file: String, until end: Moment?) async throws {
            let (isDry, template, reason) = (members.dryRun, template, reason)
            let work = MemberFileRun(change: isDry ? "would be banned" : "banned", asJSON: app.output.json)
            try await app.open(audit: .inDatabaseAlone) { administration, app in
                // Wrong parameters are found before the first of many members is banned, and in a dry run.
                let trial = BanMembers([], until: end, template: template, isTrial: true)
                try await administration.run(trial, in: app, reason: reason)
                try await work.run(file) { user in
                    if !isDry {
                        let ban = BanMembers([user], until: end, template: template)
                        let outcome = try await administration.run(ban, in: app, reason: reason)
                        if outcome.failedUserIds.isEmpty { return .changed }
                    }
                    return switch try await administration.run(.banFinding(of: user), in: app) {
                    case .unknown: .failed("is unknown")
                    case .gone: .failed("is gone")
                    case .banned: .passedOver
                    // Without --dry-run, this means that another operator has released it at this moment.
                    case .free: isDry ? .changed : .failed("is not banned")
                    }
                }
            }
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End the ban of a member, or of those of a file, before its end.")

        @OptionGroup var app: AppArguments
        @OptionGroup var members: MemberSelection
        @Option(help: "Why, for operators.") var reason: String

        func run() async throws {
            if let file = members.file { return try await release(file) }
            let user = members.user ?? ""
            let outcome = try await app.run(ReleaseBans(users: [UserID(user)]), reason: reason)
            guard outcome.failedUserIds.isEmpty else {
                Terminal.complain("\(user) is not banned")
                throw ExitCode.failure
            }
            app.output.done("\(user) is released")
        }

        private func release(_ file: String) async throws {
            let (isDry, reason) = (members.dryRun, reason)
            let work = MemberFileRun(change: isDry ? "would be released" : "released", asJSON: app.output.json)
            try await app.open(audit: .inDatabaseAlone) { administration, app in
                try await administration.run(ReleaseBans(users: [], isTrial: true), in: app, reason: reason)
                try await work.run(file) { user in
                    if !isDry {
                        let release = ReleaseBans(users: [user])
                        let outcome = try await administration.run(release, in: app, reason: reason)
                        if outcome.failedUserIds.isEmpty { return .changed }
                    }
                    return switch try await administration.run(.banFinding(of: user), in: app) {
                    case .unknown: .failed("is unknown")
                    case .gone: .failed("is gone")
                    case .free: .passedOver
                    // Without --dry-run, this means that another operator has banned it at this moment.
                    case .banned: isDry ? .changed : .failed("is still banned")
                    }
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List bans, newest first: a member's, or those that began in a time.")

        @OptionGroup var app: AppArguments
        @Argument(help: "The user id.") var user: String?
        @Option(help: "The beginning of the time. Default: 30 days ago") var from: String?
        @Option(help: "The end of the time. Default: now") var to: String?
        @Option(help: "How many, up to 1000.") var limit = 100

        func run() async throws {
            let (begin, end) = try (from.map(Words.date), to.map(Words.date))
            let bans = try await app.open {
                if let user { return try await $0.run(.bans(of: UserID(user)), in: $1) }
                let end = end ?? $0.now.adding(seconds: 1)
                let begin = begin ?? end.adding(seconds: -30 * 86_400)
                return try await $0.run(.recentBans(from: begin, to: end, limit: limit), in: $1)
            }
            try app.output.list(BanCommand.columns, bans.map(BanCommand.row))
        }
    }

    struct Template: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the templates of what banned players read, or set one.")

        @OptionGroup var app: AppArguments
        @Option(help: "The template's code, a number: bans name it.") var code: Int?
        @Option(help: "The template's name, for operators.") var name: String?
        @Option(help: "What players read, as LANGUAGE=TEXT; may be given several times.") var message: [String] = []

        func run() async throws {
            let texts = try Words.texts(message)
            guard (code == nil) == texts.isEmpty else {
                throw ValidationError("To set a template, give --code and --message.")
            }
            let templates = try await app.open(audit: .inDatabaseAlone) {
                if let code {
                    let name = name ?? "template \(code)"
                    try await $0.run(AddBanTemplate(code: code, name: name, texts: texts), in: $1)
                }
                return try await $0.run(.banTemplates, in: $1)
            }
            let rows = templates.map { template -> [Shown] in
                let texts = template.texts.texts
                let words = texts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")
                return [
                    .count(template.code), .text(template.name),
                    Shown(text: words, value: .object(texts.mapValues { .string($0) })),
                ]
            }
            try app.output.list(["code", "name", "texts"], rows)
        }
    }

    static let columns = ["userId", "type", "from", "until", "by", "reason", "released"]

    static func row(_ ban: BanRecord) -> [Shown] {
        let end = ban.endsAt.map { Words.time($0.milliseconds) }
        let release = ban.release.map { "\(Words.time($0.at.milliseconds)) by \($0.by): \($0.reason)" }
        return [
            .text(ban.user.rawValue), .text(ban.type.rawValue), .time(ban.beginsAt.milliseconds),
            Shown(text: end ?? "for ever", value: Shown.text(end).value), .text("\(ban.caller):\(ban.registeredBy)"),
            .text(ban.reason), .text(release),
        ]
    }
}

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
            let registered = try await member.run(BeginGraceBan(request: request), reason: reason)
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
            let list = Read.graceBans(
                of: user.map { UserID($0) }, isOpen: user == nil && !all, before: try before.map(Words.date),
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
