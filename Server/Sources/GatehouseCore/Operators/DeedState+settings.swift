import GatehousePlatform
import GatehouseSecurity

/// The settings of an app's state, as an undo offers them again.
extension DeedState {
    /// The texts by language of values such as `statusMessage.en`.
    func texts(_ prefix: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, text) in values where name.begins(with: prefix) {
            texts[String(name.dropFirst(prefix.count))] = text
        }
        return texts
    }

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
        policy.ticketURL = values["policy.ticketURL"]
        policy.consent = values["policy.consent"].flatMap { ConsentPolicy(rawValue: $0) } ?? policy.consent
        return policy
    }

    var limits: AppLimits {
        var limits = AppLimits()
        for setting in AppLimits.Setting.allCases {
            guard let limit: Int = decoded("limits.\(setting.rawValue)") else { continue }
            limits[setting] = limit
        }
        return limits
    }

    /// The form of a maintenance window. Times that are over are left out: the window would begin now.
    func maintenance(at moment: Moment) -> MaintenanceForm {
        var form = MaintenanceForm()
        let begin: Int64? = decoded("maintenance.begin")
        form.begin = begin.map { Moment(milliseconds: $0) }.flatMap { $0 > moment ? $0 : nil }
        let end: Int64? = decoded("maintenance.end")
        form.end = end.map { Moment(milliseconds: $0) }.flatMap { $0 > moment ? $0 : nil }
        form.message = texts("maintenance.message.")
        (form.url, form.reason) = (values["maintenance.url"], values["maintenance.reason"])
        return form
    }

    private func decoded<Value: Decodable>(_ name: String) -> Value? {
        values[name].flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }
}
