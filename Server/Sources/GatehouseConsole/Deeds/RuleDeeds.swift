import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension Console {
    // MARK: Accounts

    static let setAccounts = DeedKind(
        name: "accounts.set", level: .confirmed, role: .operator, section: "accounts", undo: "accounts.set",
        target: { _ in .app },
        fields: { visit, values in
            let app = try visit.app()
            let before = try await visit.earlier(values)
            return visit.accountFields(
                before?.policy ?? app.policy, language: before?.values["defaultLanguage"] ?? app.defaultLanguage)
        },
        preview: { visit, values in
            let app = try visit.app()
            let (policy, language) = try visit.accounts(values, from: app.policy)
            var preview = DeedPreview(
                visit.words("accounts.title"), [visit.words("accounts.what"), visit.words("setting.within")],
                undo: visit.words("setting.undo"), button: visit.words("deed.accounts.set"),
                cancel: visit.address("accounts"))
            preview.table = try visit.difference(
                visit.settings(app.policy, language: app.defaultLanguage), visit.settings(policy, language: language),
                at: "graceDays")
            return preview
        },
        perform: { visit, values, call in
            let (_, language) = try visit.accounts(values, from: visit.app().policy)
            try await call.run(
                ChangeAccountPolicy(defaultLanguage: language) { policy in
                    policy = try visit.accounts(values, from: policy).policy
                })
            return DeedResult(visit.address("accounts"))
        })

    // MARK: Limits

    static let setLimits = DeedKind(
        name: "limits.set", level: .confirmed, role: .operator, section: "limits", undo: "limits.set",
        target: { _ in .app },
        fields: { visit, values in
            let limits = try await visit.earlier(values)?.limits ?? visit.app().limits
            return LimitField.allCases.map { field in
                visit.settingField(
                    field.rawValue, .number, value: String(limits[keyPath: field.path]), isRequired: true, limit: 10)
            }
        },
        preview: { visit, values in
            let limits = try visit.limits(values)
            var preview = DeedPreview(
                visit.words("limits.title"), [visit.words("limits.what"), visit.words("setting.within")],
                undo: visit.words("setting.undo"), button: visit.words("deed.limits.set"),
                cancel: visit.address("limits"))
            preview.table = try visit.difference(
                visit.settings(visit.app().limits), visit.settings(limits), at: LimitField.newGuestsPerMinute.rawValue)
            return preview
        },
        perform: { visit, values, call in
            let limits = try visit.limits(values)
            try await call.run(ChangeLimits { $0 = limits })
            return DeedResult(visit.address("limits"))
        })
}

extension Visit {
    fileprivate func limits(_ values: FormValues) throws -> AppLimits {
        var form = FormReader(values, self)
        var limits = AppLimits()
        for field in LimitField.allCases {
            limits[keyPath: field.path] = form.number(field.rawValue, 0...1_000_000_000)
        }
        try form.finish()
        return limits
    }

    fileprivate func accountFields(_ policy: AccountPolicy, language: String) -> [Field] {
        func signal(_ name: String, _ action: SignalPolicy.Action) -> Field {
            settingField(
                name,
                .choice(
                    SignalPolicy.Action.allCases.map { Field.Option($0.rawValue, words("signal.\($0.rawValue)")) }),
                value: action.rawValue)
        }
        return [
            settingField(
                "graceDays", .number, value: String(policy.withdrawalGraceDays), isRequired: true, limit: 2),
            settingField("restoreDays", .number, value: String(policy.restoreDays), isRequired: true, limit: 3),
            settingField("supportContact", .text, value: policy.supportContact ?? "", limit: 500),
            settingField("supportURL", .text, value: policy.supportURL ?? "", limit: 1_024),
            settingField("redirects", .lines, value: (policy.redirects ?? []).joined(separator: "\n")),
            signal("consentRevoked", policy.signals.consentRevoked),
            signal("accountDeleted", policy.signals.accountDeleted),
            settingField(
                "consent",
                .choice(ConsentPolicy.allCases.map { Field.Option($0.rawValue, words("consent.\($0.rawValue)")) }),
                value: policy.consent.rawValue),
            settingField("defaultLanguage", .text, value: language, isRequired: true, limit: 35),
            settingField("timeZone", .text, value: policy.timeZone ?? "", limit: 64),
        ]
    }

    /// The policy of a form.
    ///
    /// - Parameter policy: the one that is changed. What the form does not have stays.
    fileprivate func accounts(
        _ values: FormValues, from policy: AccountPolicy
    ) throws -> (policy: AccountPolicy, language: String) {
        var form = FormReader(values, self)
        var policy = policy
        policy.withdrawalGraceDays = form.number("graceDays", 1...30)
        policy.restoreDays = form.number("restoreDays", 1...365)
        policy.supportContact = form.text("supportContact", bytes: 1_000)
        policy.supportURL = form.page("supportURL")
        let redirects = (values["redirects"] ?? "").words
        if let wrong = redirects.first(where: { !AccountPolicy.canRedirect(to: $0) }) {
            form.report("redirects", words("problem.redirect", ["text": String(wrong.prefix(100))]))
        } else if redirects.count > 32 {
            form.report("redirects", words("problem.redirects"))
        }
        policy.redirects = redirects.isEmpty ? nil : redirects
        policy.signals.consentRevoked = form.choice("consentRevoked", or: policy.signals.consentRevoked)
        policy.signals.accountDeleted = form.choice("accountDeleted", or: policy.signals.accountDeleted)
        policy.consent = form.choice("consent", or: policy.consent)
        policy.timeZone = form.text("timeZone", bytes: 64)
        if let zone = policy.timeZone, !AppZone.exists(zone) { form.report("timeZone", words("problem.zone")) }
        let language = values["defaultLanguage"] ?? ""
        if !LocalizedText.isLanguage(language) { form.report("defaultLanguage", words("problem.language")) }
        try form.finish()
        return (policy, language.lowercased())
    }
}

extension DeedState {
    /// The account policy of an app's state.
    var policy: AccountPolicy {
        var policy = AccountPolicy()
        policy.withdrawalGraceDays = decoded("policy.withdrawalGraceDays") ?? policy.withdrawalGraceDays
        policy.restoreDays = decoded("policy.restoreDays") ?? policy.restoreDays
        policy.transfer = decoded("policy.transfer")
        policy.transferKeys = decoded("policy.transferKeys") ?? policy.transferKeys
        policy.supportContact = values["policy.supportContact"]
        policy.supportURL = values["policy.supportURL"]
        policy.redirects = decoded("policy.redirects")
        policy.signals = decoded("policy.signals") ?? policy.signals
        policy.timeZone = values["policy.timeZone"]
        policy.consent = values["policy.consent"].flatMap { ConsentPolicy(rawValue: $0) } ?? policy.consent
        return policy
    }

    fileprivate var limits: AppLimits {
        var limits = AppLimits()
        for field in LimitField.allCases {
            guard let limit: Int = decoded("limits.\(field.rawValue)") else { continue }
            limits[keyPath: field.path] = limit
        }
        return limits
    }

    private func decoded<Value: Decodable>(_ name: String) -> Value? {
        values[name].flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }
}
