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

    package init(on target: ActionTarget) {}

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let (app, before) = (context.app, try context.earlier(earlier, in: tx)?.before)
        policy = before?.policy ?? app.policy
        defaultLanguage = before?.values["defaultLanguage"] ?? app.defaultLanguage
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let app = context.app
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

/// Changes the policy of an app's accounts, and returns the new one.
package struct ChangeAccountPolicy: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// The language of messages that are not available in the player's; nil to leave it as it is.
    let defaultLanguage: String?
    let change: @Sendable (inout AccountPolicy) throws -> Void

    package init(
        defaultLanguage: String? = nil, change: @escaping @Sendable (inout AccountPolicy) throws -> Void
    ) {
        self.defaultLanguage = defaultLanguage
        self.change = change
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws -> AccountPolicy {
        try await work.changeApp(as: Self.event) { app, _ in
            if let defaultLanguage { app.defaultLanguage = defaultLanguage }
            try change(&app.policy)
        }.policy
    }

    /// The transfer policy has a form of its own.
    @Sendable private static func event(_ before: App, _ after: App) -> AppEvent {
        var rest = after
        (rest.policy.transfer, rest.policy.transferKeys) = (before.policy.transfer, before.policy.transferKeys)
        return rest == before ? .transferPolicySet : .policySet
    }
}

/// Sets all of an app's limits.
package struct SetLimits: OperatorAction {
    package static let about = OperatorActionAbout(
        "limits.set", role: .operator, step: .confirmed, section: "limits", subject: .app, undo: SetLimits.self)
    package static let inputs: [Input<Self>] =
        [.earlier(\.earlier)]
        + AppLimits.Setting.allCases.map { .number($0.rawValue, \.limits[$0], AppLimits.range, limit: 10) }

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var limits = AppLimits()

    package init(on target: ActionTarget) {}

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        limits = try context.earlier(earlier, in: tx)?.before?.limits ?? context.app.limits
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var preview = Preview("limits.title", ["limits.what", "setting.within"], undo: "setting.undo")
        preview.table = try Preview.Table(
            from: context.app.limits.settings, to: limits.settings,
            at: AppLimits.Setting.newGuestsPerMinute.rawValue)
        return preview
    }

    package func perform(_ work: Work) async throws -> AppLimits {
        try await ChangeLimits { [limits] in $0 = limits }.perform(work)
    }
}

/// Changes an app's limits, and returns the new ones.
package struct ChangeLimits: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let change: @Sendable (inout AppLimits) -> Void

    package init(change: @escaping @Sendable (inout AppLimits) -> Void) {
        self.change = change
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws -> AppLimits {
        try await work.changeApp(.limitsSet) { app, _ in change(&app.limits) }.limits
    }
}

extension AppLimits {
    /// The limits in words.
    package var settings: [SettingValue] {
        Setting.allCases.map { setting in
            SettingValue(setting.rawValue, self[setting] == 0 ? .phrase("limits.none") : .number(self[setting]))
        }
    }
}

/// Where operators find the tickets of players: an address with `{ticket}` in the place of a ticket's number.
package enum TicketAddress {
    private static let place = "{ticket}"

    /// Whether a text is such an address: https, with the ticket once, behind the host.
    static func isTemplate(_ text: String) -> Bool {
        guard text.utf8.count <= 1_024, text.begins(with: "https://"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let range = text.range(ofBytes: place), !text[range.upperBound...].has(place)
        else { return false }
        let host = text[..<range.lowerBound].dropFirst("https://".utf8.count)
        return host.utf8.first.map(ASCII.isLetterOrDigit) == true && host.utf8.contains(UInt8(ascii: "/"))
            && !host.utf8.contains(UInt8(ascii: "@"))
    }

    /// The address of a ticket; nil if the app has none.
    ///
    /// - Parameter encoded: the ticket as a part of an address.
    package static func of(_ encoded: String, in app: App) -> String? {
        guard let template = app.policy.ticketURL, isTemplate(template), let range = template.range(ofBytes: place)
        else { return nil }
        return "\(template[..<range.lowerBound])\(encoded)\(template[range.upperBound...])"
    }
}

extension Input {
    /// An address with the place of a ticket; nil if it is empty.
    static func ticketAddress(_ name: String, _ path: any WritableKeyPath<A, String?> & Sendable) -> Self {
        Input { action, _, _ in
            [.setting(name, .text, value: action[keyPath: path] ?? "", limit: 1_024)]
        } read: { action, values, _ in
            let text = values.text(name)
            guard text.map(TicketAddress.isTemplate) ?? true else {
                throw InputProblems([name: "problem.ticket-address"])
            }
            action[keyPath: path] = text
        }
    }
}
