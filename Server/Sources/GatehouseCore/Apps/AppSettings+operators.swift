import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage

/// Sets how an app's accounts are withdrawn, restored and supported, with the language and the time zone.
package struct SetAccountPolicy: SettingsAction {
    package static let about = OperatorActionAbout(
        "accounts.set", role: .operator, step: .confirmed, section: "accounts", subject: .app,
        undo: SetAccountPolicy.self)
    package static let settings: [Setting<Self>] = [
        Setting("graceDays") {
            .number($0, \.policy.withdrawalGraceDays, AccountPolicy.withdrawalGraceRange, limit: 2)
        } value: {
            .days($0.policy.withdrawalGraceDays)
        },
        Setting("restoreDays") {
            .number($0, \.policy.restoreDays, AccountPolicy.restoreRange, limit: 3)
        } value: {
            .days($0.policy.restoreDays)
        },
        Setting("supportContact") {
            .text($0, \.policy.supportContact, bytes: 1_000, limit: 500)
        } value: {
            .text($0.policy.supportContact ?? "–")
        },
        Setting("supportURL", { .page($0, \.policy.supportURL) }, value: { .text($0.policy.supportURL ?? "–") }),
        Setting("redirects", redirects) { action in
            .text(action.policy.redirects.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } ?? "–")
        },
        Setting("consentRevoked") {
            .choice($0, \.policy.signals.consentRevoked, signals)
        } value: {
            .phrase(Phrase("signal.\($0.policy.signals.consentRevoked.rawValue)"))
        },
        Setting("accountDeleted") {
            .choice($0, \.policy.signals.accountDeleted, signals)
        } value: {
            .phrase(Phrase("signal.\($0.policy.signals.accountDeleted.rawValue)"))
        },
        Setting("consent") {
            .choice($0, \.policy.consent, ConsentPolicy.allCases.map { ($0, Phrase("consent.\($0.rawValue)")) })
        } value: {
            .phrase(Phrase("consent.\($0.policy.consent.rawValue)"))
        },
        Setting("defaultLanguage", defaultLanguage) { .language($0.defaultLanguage) },
        Setting("timeZone", timeZone) { .text($0.policy.timeZone ?? "UTC") },
        Setting("ticketURL", { .ticketAddress($0, \.policy.ticketURL) }, value: { .text($0.policy.ticketURL ?? "–") }),
    ]

    private static let signals = SignalPolicy.Action.allCases.map { ($0, Phrase("signal.\($0.rawValue)")) }

    private static func redirects(_ name: String) -> Input<Self> {
        Input { action, _, _ in
            [.setting(name, .lines, value: (action.policy.redirects ?? []).joined(separator: "\n"))]
        } read: { action, values, _ in
            let redirects = (values.text(name) ?? "").words
            if let wrong = redirects.first(where: { !AccountPolicy.canRedirect(to: $0) }) {
                throw InputProblems([name: Phrase("problem.redirect", ["text": .text(String(wrong.prefix(100)))])])
            }
            guard redirects.count <= AccountPolicy.maximumRedirects else {
                throw InputProblems([name: "problem.redirects"])
            }
            action.policy.redirects = redirects.isEmpty ? nil : redirects
        }
    }

    private static func defaultLanguage(_ name: String) -> Input<Self> {
        Input { action, _, _ in
            [.setting(name, .text, value: action.defaultLanguage, isRequired: true, limit: 35)]
        } read: { action, values, _ in
            guard let language = values.text(name).flatMap({ LocalizedText.language($0) }) else {
                throw InputProblems([name: "problem.language"])
            }
            action.defaultLanguage = language
        }
    }

    private static func timeZone(_ name: String) -> Input<Self> {
        Input { action, _, _ in
            [.setting(name, .text, value: action.policy.timeZone ?? "", limit: 64)]
        } read: { action, values, _ in
            action.policy.timeZone = try values.text(name, bytes: 64)
            guard action.policy.timeZone.map(AppZone.exists) ?? true else {
                throw InputProblems([name: "problem.zone"])
            }
        }
    }

    package var earlier: String?
    package let change: (@Sendable (inout App) -> Void)?
    private var policy = AccountPolicy()
    private var defaultLanguage = ""

    package init(on target: ActionTarget) { change = nil }

    package init(change: @escaping @Sendable (inout AccountPolicy) -> Void) {
        self.change = { change(&$0.policy) }
    }

    package mutating func read(_ app: App) {
        (policy, defaultLanguage) = (app.policy, app.defaultLanguage)
    }

    package func write(to app: inout App) {
        app.defaultLanguage = defaultLanguage
        // Transfers have a form of their own.
        let (transfer, transferKeys) = (app.policy.transfer, app.policy.transferKeys)
        app.policy = policy
        (app.policy.transfer, app.policy.transferKeys) = (transfer, transferKeys)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var preview = Preview("accounts.title", ["accounts.what", "setting.within"], undo: "setting.undo")
        preview.table = try difference(from: context.app)
        return preview
    }

    package func perform(_ work: Work) async throws -> App { try await perform(.policySet, work) }
}

/// Sets an app's limits.
package struct SetLimits: SettingsAction {
    package static let about = OperatorActionAbout(
        "limits.set", role: .operator, step: .confirmed, section: "limits", subject: .app, undo: SetLimits.self)
    package static let settings: [Setting<Self>] = AppLimits.Setting.allCases.map { setting in
        Setting(setting.rawValue) {
            .number($0, \.limits[setting], AppLimits.range, limit: 10)
        } value: { action in
            action.limits[setting] == 0 ? .phrase("limits.none") : .number(action.limits[setting])
        }
    }

    package var earlier: String?
    package let change: (@Sendable (inout App) -> Void)?
    private var limits = AppLimits()

    package init(on target: ActionTarget) { change = nil }

    package init(change: @escaping @Sendable (inout AppLimits) -> Void) {
        self.change = { change(&$0.limits) }
    }

    package mutating func read(_ app: App) { limits = app.limits }
    package func write(to app: inout App) { app.limits = limits }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var preview = Preview("limits.title", ["limits.what", "setting.within"], undo: "setting.undo")
        preview.table = try difference(from: context.app)
        return preview
    }

    package func perform(_ work: Work) async throws -> App { try await perform(.limitsSet, work) }
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
