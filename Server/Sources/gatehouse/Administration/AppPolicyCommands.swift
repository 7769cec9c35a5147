import ArgumentParser
import GatehouseCore
import GatehouseWire

/// `gatehouse app accounts`.
struct AccountPolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "Show or set how accounts are withdrawn, restored and supported.",
        discussion: "What has no option here, such as the language, `gatehouse do accounts.set` sets.")

    @OptionGroup var app: NamedApp
    @Option(help: "The grace period of a withdrawal, in days: 1 to \(AccountPolicy.withdrawalGraceRange.upperBound).")
    var withdrawalGraceDays: Int?
    @Option(
        help:
            "For how many days a member that lost its last identity can be restored: 1 to \(AccountPolicy.restoreRange.upperBound)."
    )
    var restoreDays: Int?
    @Option(help: "Where banned players can ask, in words.") var supportContact: String?
    @Option(help: "Where banned players can ask, as a page.") var supportUrl: String?

    @Option(
        help: """
            Where browsers may bring players back to the game, beside loopback: a scheme of its own such as mygame://login, or an \
            https link. May be given several times; replaces those that there are.
            """)
    var redirect: [String] = []
    @Option(help: "When a provider reports that a consent was taken back: record, end-sessions, remove or withdraw.")
    var onConsentRevoked: String?
    @Option(help: "When a provider reports that an account is gone: record, end-sessions, remove or withdraw.")
    var onAccountDeleted: String?
    @Option(
        help: """
            When a player's consent is revoked at the identity provider: withdrawal, removal (of a mapping, too) or never. Apple and \
            LINE require it: never leaves what they require. Default: withdrawal
            """)
    var revokeConsent: String?
    @Option(help: "Where the days of the app's numbers begin, such as Asia/Seoul.") var timeZone: String?

    func run() async throws {
        let revocation: ConsentPolicy? = try revokeConsent.map(Self.word)
        let consent: SignalPolicy.Action? = try onConsentRevoked.map(Self.word)
        let deletion: SignalPolicy.Action? = try onAccountDeleted.map(Self.word)
        let change = SetAccountPolicy { policy in
            if !redirect.isEmpty { policy.redirects = redirect }
            policy.signals.consentRevoked = consent ?? policy.signals.consentRevoked
            policy.signals.accountDeleted = deletion ?? policy.signals.accountDeleted
            policy.consent = revocation ?? policy.consent
            policy.withdrawalGraceDays = withdrawalGraceDays ?? policy.withdrawalGraceDays
            policy.restoreDays = restoreDays ?? policy.restoreDays
            policy.supportContact = supportContact ?? policy.supportContact
            policy.supportURL = supportUrl ?? policy.supportURL
            policy.timeZone = timeZone ?? policy.timeZone
        }
        let policy = try await app.run(change, audit: .inDatabaseAlone).policy
        try app.output.show([
            Fact("withdrawalGraceDays", .count(policy.withdrawalGraceDays)),
            Fact("restoreDays", .count(policy.restoreDays)),
            Fact("supportContact", .text(policy.supportContact)),
            Fact("supportUrl", label: "support URL", .text(policy.supportURL)),
            Fact("timeZone", .text(policy.timeZone ?? "UTC")),
            Fact("transferAccounts", .isOn(policy.transfer != nil)),
            Fact("transferKeys", .isOn(policy.transferKeys)),
            Fact("redirects", .list(policy.redirects ?? [], separator: ", ")),
            Fact("revokeConsent", .text(policy.consent.rawValue)),
            Fact("onConsentRevoked", .text(policy.signals.consentRevoked.rawValue)),
            Fact("onAccountDeleted", .text(policy.signals.accountDeleted.rawValue)),
        ])
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Word {
        guard let word = Word(rawValue: text) else {
            throw ValidationError("\(text) is none of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return word
    }
}

/// `gatehouse app transfer`.
struct TransferPolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract:
            "Show or set the policy of transfer accounts, which are off without one, and the switch of transfer keys.",
        discussion:
            "Letters are one of \(TransferPolicy.Alphabet.allCases.map { "\($0.rawValue) (\($0.minimumLength) or more)" }.joined(separator: ", "))."
    )

    @OptionGroup var app: NamedApp
    @Flag(help: "Switch transfer accounts on, with the defaults for what is not set.") var on = false
    @Flag(help: "Switch transfer accounts off.") var off = false
    @Option(help: "The letters of ids.") var idLetters: String?
    @Option(help: "The length of ids.") var idLength: Int?
    @Option(help: "The letters of passwords.") var passwordLetters: String?
    @Option(help: "The length of passwords.") var passwordLength: Int?
    @Option(help: "once or unlimited.") var uses: String?
    @Option(help: "For how many days a transfer account is valid; 0 for ever.") var days: Int?
    @Option(help: "Wrong attempts in a row before the block, of one account and of one device.") var attempts: Int?
    @Option(help: "The length of the block, in minutes.") var blockMinutes: Int?
    @Option(help: "on or off: transfer keys, which have no policy. They are on by default.") var keys: String?

    func run() async throws {
        guard !(on && off) else { throw ValidationError("Give either --on or --off.") }
        guard keys == nil || keys == "on" || keys == "off" else { throw ValidationError("--keys is on or off.") }
        guard uses == nil || uses == "once" || uses == "unlimited" else {
            throw ValidationError("--uses is once or unlimited.")
        }
        let (dayRange, minutes) = (TransferPolicy.dayRange, TransferPolicy.blockMinuteRange)
        guard dayRange.contains(days ?? 0), minutes.contains(blockMinutes ?? minutes.lowerBound) else {
            throw ValidationError("--days is 0 to \(dayRange.upperBound), --block-minutes 1 to \(minutes.upperBound).")
        }
        let letters = try (id: alphabet(idLetters), password: alphabet(passwordLetters))
        let change = SetTransferPolicy { policy in
            if off { policy.transfer = nil }
            if on, policy.transfer == nil { policy.transfer = TransferPolicy() }
            if let transfer = policy.transfer { policy.transfer = changed(transfer, letters) }
            if let keys { policy.transferKeys = keys == "on" }
        }
        let policy = try await app.run(change, audit: .inDatabaseAlone).policy
        let switches = [Fact("keys", .isOn(policy.transferKeys)), Fact("accounts", .isOn(policy.transfer != nil))]
        try app.output.show(switches + (policy.transfer.map(facts) ?? []), width: 11)
    }

    private func facts(_ policy: TransferPolicy) -> [Fact] {
        let (validDays, minutes) = (policy.lifetimeSeconds.map { $0 / 86_400 }, policy.blockSeconds / 60)
        let valid = Shown(
            text: validDays.map { "\($0) days" } ?? "for ever",
            value: validDays.map { JSONValue.integer($0) } ?? JSONValue.null)
        let block = Shown(
            text: "\(minutes) minutes after \(policy.attempts) wrong attempts",
            value: ["minutes": .integer(minutes), "attempts": .integer(Int64(policy.attempts))])
        return [
            Fact("ids", shown(policy.id)), Fact("passwords", shown(policy.password)),
            Fact("uses", .text(policy.isSingleUse ? "once" : "unlimited")),
            Fact("validDays", label: "valid", valid), Fact("block", block),
        ]
    }

    private func shown(_ rule: TransferPolicy.Form) -> Shown {
        Shown(
            text: "\(rule.length) letters, \(rule.alphabet.rawValue)",
            value: ["letters": .string(rule.alphabet.rawValue), "length": .integer(Int64(rule.length))])
    }

    private func changed(
        _ policy: TransferPolicy, _ letters: (id: TransferPolicy.Alphabet?, password: TransferPolicy.Alphabet?)
    ) -> TransferPolicy {
        var policy = policy
        policy.id = .init(letters.id ?? policy.id.alphabet, length: idLength ?? policy.id.length)
        policy.password = .init(
            letters.password ?? policy.password.alphabet, length: passwordLength ?? policy.password.length)
        if let uses { policy.isSingleUse = uses == "once" }
        if let days { policy.lifetimeSeconds = days == 0 ? nil : Int64(days) * 86_400 }
        policy.attempts = attempts ?? policy.attempts
        if let blockMinutes { policy.blockSeconds = Int64(blockMinutes) * 60 }
        return policy
    }

    private func alphabet(_ name: String?) throws -> TransferPolicy.Alphabet? {
        guard let name else { return nil }
        guard let alphabet = TransferPolicy.Alphabet(rawValue: name) else {
            throw ValidationError("There are no letters \(name): see --help.")
        }
        return alphabet
    }
}

struct ClientRuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Give some clients another status than the app's.",
        discussion: "The first rule that matches a client decides; a client that none matches gets the app's status.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a rule for clients of a system, a store or versions. Prints its id.",
            discussion: "Statuses: "
                + ClientRule.statuses.map { "\($0.name) (\($0.rawValue))" }.joined(separator: ", ") + ".")

        @OptionGroup var app: NamedApp
        @Argument(help: "The status, by name or number.") var status: String
        @Option(help: "The system, such as IOS or AOS. Default: every one") var os: String?
        @Option(help: "The store, such as AS or GG. Default: every one") var store: String?
        @Option(help: "The first version that it is for, such as 1.9.0.") var from: String?
        @Option(help: "The first version that it is not for any more, such as 2.0.0.") var below: String?
        @Option(help: "Where players find another version.") var url: String?
        @Option(help: "What players read, as LANGUAGE=TEXT; may be given several times.") var message: [String] = []
        @Option(help: "Its place among the rules, from 1. Default: the last") var position: Int?

        func run() async throws {
            let rule = ClientRule(
                osCode: os?.uppercased(), storeCode: store?.uppercased(), from: from, below: below,
                status: try LaunchingStatus.typed(status).status, updateURL: url,
                message: LocalizedText(try Words.texts(message)))
            let added = try await app.run(AddClientRule(rule, at: position), audit: .inDatabaseAlone)
            try app.output.show([Fact("rule", .text("\(added)"))])
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an app's rules in their order.")

        @OptionGroup var app: NamedApp

        func run() async throws {
            let rows = try await app.run(ReadApp()).clientRules.enumerated().map { index, rule -> [Shown] in
                [
                    .count(index + 1), .text(rule.id), .text(rule.status.name), .text(rule.osCode),
                    .text(rule.storeCode), .text(rule.from), .text(rule.below), .text(rule.updateURL),
                ]
            }
            try app.output.list(["position", "id", "status", "os", "store", "from", "below", "url"], rows)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a rule, by the id that `app rule list` shows.")

        @OptionGroup var app: NamedApp
        @Argument(help: "The rule's id.") var rule: String

        func run() async throws {
            try await app.run(RemoveClientRule(id: rule))
            app.output.done("removed \(rule)")
        }
    }
}
