import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The app's rules: accounts, transfer, limits, and its keys.
extension Console {
    static func addRules(to pages: Pages) {
        pages.app("/accounts") { visit in try await visit.accountsPage() }
        pages.app("/transfer") { visit in try await visit.transferPage() }
        pages.app("/limits") { visit in try await visit.limitsPage() }
        pages.app("/signing-keys", as: .owner) { visit in try await visit.signingKeysPage() }
        pages.app("/secrets", as: .owner) { visit in try await visit.secretsPage() }
    }

    static let ruleDeeds: [DeedKind] = [setAccounts, setTransferPolicy, setLimits]
}

extension Visit {
    fileprivate func accountsPage() async throws -> Response {
        let app = try app()
        var sheet = Sheet(words("setting.current"))
        sheet.table = table(
            of: settings(app.policy, language: app.defaultLanguage),
            standard: settings(AccountPolicy(), language: "en"), caption: words("nav.accounts"))
        return try await settingsPage("accounts", "accounts.set", [sheet])
    }

    fileprivate func limitsPage() async throws -> Response {
        var sheet = Sheet(words("setting.current"), lines: [words("limits.intro")])
        sheet.table = table(
            of: settings(try app().limits), standard: settings(AppLimits()), caption: words("nav.limits"))
        return try await settingsPage("limits", "limits.set", [sheet])
    }

    fileprivate func transferPage() async throws -> Response {
        let policy = try app().policy
        var sheet = Sheet(words("setting.current"))
        sheet.verdict = Cell(
            words(policy.transfer == nil ? "transfer.is-off" : "transfer.is-on"),
            badge: policy.transfer == nil ? "plain" : "good")
        sheet.table = table(
            of: settings(policy.transfer, keys: policy.transferKeys),
            standard: settings(TransferPolicy(), keys: true), caption: words("nav.transfer"))
        var sheets = [sheet]
        if let transfer = policy.transfer {
            var example = Sheet(words("transfer.example"), lines: strength(of: transfer))
            example.facts = self.example(of: transfer)
            sheets.append(example)
        }
        return try await settingsPage("transfer", "transfer-policy.set", sheets)
    }

    /// A page of settings with its one change, and with what operators have changed before.
    private func settingsPage(_ section: String, _ deed: String, _ sheets: [Sheet]) async throws -> Response {
        var page = Page(words("nav.\(section)"), section: section)
        page.actions = [offer(deed, style: "primary")].compactMap { $0 }
        page.result = try await resultLine()
        return try await show(page, sheets + [history(of: [deed])])
    }

    // MARK: Settings in words

    func settings(_ policy: AccountPolicy, language: String) -> [Setting] {
        [
            Setting("graceDays", words("time.days", ["count": String(policy.withdrawalGraceDays)])),
            Setting("restoreDays", words("time.days", ["count": String(policy.restoreDays)])),
            Setting("supportContact", policy.supportContact ?? "–"), Setting("supportURL", policy.supportURL ?? "–"),
            Setting(
                "redirects", policy.redirects.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "–"),
            Setting("consentRevoked", words("signal.\(policy.signals.consentRevoked.rawValue)")),
            Setting("accountDeleted", words("signal.\(policy.signals.accountDeleted.rawValue)")),
            Setting("consent", words("consent.\(policy.consent.rawValue)")),
            Setting("defaultLanguage", languageName(language)),
            Setting("timeZone", policy.timeZone ?? "UTC"),
        ]
    }

    func settings(_ transfer: TransferPolicy?, keys: Bool) -> [Setting] {
        var settings = [Setting("transferOn", onOff(transfer != nil))]
        if let transfer {
            settings += [
                Setting("transferId", formText(transfer.id)), Setting("transferPassword", formText(transfer.password)),
                Setting("transferUses", words(transfer.isSingleUse ? "transfer.once" : "transfer.unlimited")),
                Setting(
                    "transferDays",
                    transfer.lifetimeSeconds.map(exactly) ?? words("transfer.for-ever")),
                Setting("transferAttempts", String(transfer.attempts)),
                Setting("transferBlock", exactly(transfer.blockSeconds)),
            ]
        }
        return settings + [Setting("transferKeys", onOff(keys))]
    }

    func settings(_ limits: AppLimits) -> [Setting] {
        LimitField.allCases.map { field in
            let limit = limits[keyPath: field.path]
            return Setting(field.rawValue, limit == 0 ? words("limits.none") : Chart.grouped(Int64(limit)))
        }
    }

    /// A length in the largest unit without a rest, so that two lengths that differ read differently.
    private func exactly(_ seconds: Int64) -> String {
        let units: [(seconds: Int64, key: String)] = [
            (86_400, "time.days"), (3_600, "time.hours"), (60, "time.minutes"), (1, "time.seconds"),
        ]
        let unit = units.first { seconds % $0.seconds == 0 } ?? (1, "time.seconds")
        return words(unit.key, ["count": String(seconds / unit.seconds)])
    }

    private func formText(_ form: TransferPolicy.Form) -> String {
        words("transfer.form", ["count": String(form.length), "letters": words("letters.\(form.alphabet.rawValue)")])
    }

    // MARK: Transfer in words

    /// How hard it is to guess an id with its password.
    func strength(of transfer: TransferPolicy) -> [String] {
        [
            words(
                "transfer.strength",
                [
                    "id": guesses(transfer.id), "password": guesses(transfer.password),
                    "attempts": String(transfer.attempts),
                    "block": exactly(transfer.blockSeconds),
                ])
        ]
    }

    private func guesses(_ form: TransferPolicy.Form) -> String {
        // The number of texts is count^length; its decimal logarithm is what a person can compare.
        var digits = 0.0
        for _ in 0..<min(max(form.length, 0), 64) { digits += Self.decimalDigits[form.alphabet.count] ?? 1 }
        return "10" + String(String(Int(digits)).compactMap { $0.wholeNumberValue.map { Self.raised[$0] } })
    }

    private static let raised = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
    /// The decimal logarithms of the numbers of letters that there are.
    private static let decimalDigits = [10: 1.0, 36: 1.5563, 52: 1.7160, 62: 1.7924]

    /// A pair as a player would get it.
    func example(of transfer: TransferPolicy) -> [Fact] {
        [
            Fact(words("transfer.id"), .code(transfer.id.example(random: console.random))),
            Fact(words("sign-in.password"), .code(transfer.password.example(random: console.random))),
        ]
    }
}

/// A limit on the callers of an app. Its raw value is the name of its setting.
enum LimitField: String, CaseIterable {
    case newGuestsPerMinute, refusedProofsPerMinute, changesPerMinute, liveSessions, wrongTransfersPerHour

    var path: WritableKeyPath<AppLimits, Int> {
        switch self {
        case .newGuestsPerMinute: \.newGuestsPerMinute
        case .refusedProofsPerMinute: \.refusedProofsPerMinute
        case .changesPerMinute: \.changesPerMinute
        case .liveSessions: \.liveSessions
        case .wrongTransfersPerHour: \.wrongTransfersPerHour
        }
    }
}
