import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage

/// Sets how an app's accounts are withdrawn, restored and supported, with the language and the time zone.
package struct SetAccountPolicy: OperatorAction {
    package static let about = OperatorActionAbout(
        "accounts.set", role: .operator, step: .confirmed, section: "accounts", subject: .app,
        undo: SetAccountPolicy.self)
    package static let inputs: [Input<Self>] = [
        .earlier(\.earlier), .number("graceDays", \.policy.withdrawalGraceDays, 1...30, limit: 2),
        .number("restoreDays", \.policy.restoreDays, 1...365, limit: 3),
        .text("supportContact", \.policy.supportContact, bytes: 1_000, limit: 500),
        .page("supportURL", \.policy.supportURL), redirects,
        .choice("consentRevoked", \.policy.signals.consentRevoked, signals),
        .choice("accountDeleted", \.policy.signals.accountDeleted, signals),
        .choice("consent", \.policy.consent, ConsentPolicy.allCases.map { ($0, Phrase("consent.\($0.rawValue)")) }),
        defaultLanguage, timeZone, .ticketAddress("ticketURL", \.policy.ticketURL),
    ]

    private static let signals = SignalPolicy.Action.allCases.map { ($0, Phrase("signal.\($0.rawValue)")) }

    private static let redirects = Input<Self> { action, _, _ in
        let redirects = action.policy.redirects ?? []
        return [
            .setting("redirects", .lines, value: redirects.joined(separator: "\n"))
        ]
    } read: { action, values, _ in
        let redirects = (values.text("redirects") ?? "").words
        if let wrong = redirects.first(where: { !AccountPolicy.canRedirect(to: $0) }) {
            throw InputProblems([
                "redirects": Phrase("problem.redirect", ["text": .text(String(wrong.prefix(100)))])
            ])
        }
        guard redirects.count <= 32 else { throw InputProblems(["redirects": "problem.redirects"]) }
        action.policy.redirects = redirects.isEmpty ? nil : redirects
    }

    private static let defaultLanguage = Input<Self> { action, _, _ in
        [
            .setting("defaultLanguage", .text, value: action.defaultLanguage, isRequired: true, limit: 35)
        ]
    } read: { action, values, _ in
        guard let language = values.text("defaultLanguage").flatMap({ LocalizedText.language($0) }) else {
            throw InputProblems(["defaultLanguage": "problem.language"])
        }
        action.defaultLanguage = language
    }

    private static let timeZone = Input<Self> { action, _, _ in
        [
            .setting("timeZone", .text, value: action.policy.timeZone ?? "", limit: 64)
        ]
    } read: { action, values, _ in
        action.policy.timeZone = try values.text("timeZone", bytes: 64)
        guard action.policy.timeZone.map(AppZone.exists) ?? true else {
            throw InputProblems(["timeZone": "problem.zone"])
        }
    }

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var policy = AccountPolicy()
    private var defaultLanguage = ""

    package init(on target: DeedTarget) {}

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let (app, before) = (view.view.app, try view.earlier(earlier, in: tx)?.before)
        policy = before?.policy ?? app.policy
        defaultLanguage = before?.values["defaultLanguage"] ?? app.defaultLanguage
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let app = view.view.app
        var preview = Preview("accounts.title", ["accounts.what", "setting.within"], undo: "setting.undo")
        preview.table = try Preview.Table(
            from: app.policy.settings(language: app.defaultLanguage),
            to: changed(app.policy).settings(language: defaultLanguage), at: "graceDays")
        return preview
    }

    package func perform(_ work: Work) async throws -> AccountPolicy {
        try await ChangeAccountPolicy(defaultLanguage: defaultLanguage) { $0 = changed($0) }.perform(work)
    }

    /// The policy after the change. What the form does not have stays.
    private func changed(_ old: AccountPolicy) -> AccountPolicy {
        var new = policy
        (new.transfer, new.transferKeys) = (old.transfer, old.transferKeys)
        return new
    }
}

extension AccountPolicy {
    /// The settings in words that stand beside an app's language; those of transfer are told by ``TransferPolicy``.
    package func settings(language: String) -> [SettingValue] {
        [
            SettingValue("graceDays", .phrase(Phrase("time.days", ["count": .count(withdrawalGraceDays)]))),
            SettingValue("restoreDays", .phrase(Phrase("time.days", ["count": .count(restoreDays)]))),
            SettingValue("supportContact", .text(supportContact ?? "–")),
            SettingValue("supportURL", .text(supportURL ?? "–")),
            SettingValue(
                "redirects", .text(redirects.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "–")),
            SettingValue("consentRevoked", .phrase(Phrase("signal.\(signals.consentRevoked.rawValue)"))),
            SettingValue("accountDeleted", .phrase(Phrase("signal.\(signals.accountDeleted.rawValue)"))),
            SettingValue("consent", .phrase(Phrase("consent.\(consent.rawValue)"))),
            SettingValue("defaultLanguage", .language(language)),
            SettingValue("timeZone", .text(timeZone ?? "UTC")), SettingValue("ticketURL", .text(ticketURL ?? "–")),
        ]
    }
}
