import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// The settings of an app's state, as an undo offers them again.
extension TargetState {
    /// The texts by language of values such as `statusMessage.en`.
    func texts(_ prefix: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, text) in values where name.begins(with: prefix) {
            texts[String(name.dropFirst(prefix.count))] = text
        }
        return texts
    }

    /// An app with the settings of this state. A limit, or a part of the policy, that a record of an older version lacks takes its default.
    func settings(of app: App) -> App {
        var app = app
        app.policy = value(of: "policy.") ?? AccountPolicy()
        app.limits = AppLimits()
        for setting in AppLimits.Setting.allCases {
            guard let limit: Int = decoded("limits.\(setting.rawValue)") else { continue }
            app.limits[setting] = limit
        }
        app.defaultLanguage = values["defaultLanguage"] ?? app.defaultLanguage
        return app
    }

    /// A value whose members ``OperatorRecordRules/flat(_:_:)`` has written, each under its name; nil if they make none.
    ///
    /// A text stands there as it is, and everything else as JSON. A text may look like JSON, so what the type refuses is read as a text.
    private func value<Value: Decodable>(of prefix: String) -> Value? {
        let texts = texts(prefix)
        var members = texts.mapValues { text in
            switch try? JSONText.read(text) as JSONValue {
            case nil, .null, .string: JSONValue.string(text)
            case let value?: value
            }
        }
        while true {
            do {
                return try JSONText.read(JSONText.write(JSONValue.object(members)))
            } catch DecodingError.typeMismatch(_, let context) {
                guard let name = context.codingPath.first?.stringValue, let text = texts[name],
                    members.updateValue(.string(text), forKey: name) != .string(text)
                else { return nil }
            } catch {
                return nil
            }
        }
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
        values[name].flatMap { try? JSONText.read($0) }
    }
}

extension TargetState {
    /// The state of an app's rules by client: a name for each value of each rule.
    init(clientRules rules: [ClientRule]) {
        self.init()
        for (index, rule) in rules.enumerated() {
            var texts: [String: String?] = [
                "position": String(index + 1), "os": rule.osCode, "store": rule.storeCode, "from": rule.from,
                "below": rule.below, "status": String(rule.status.rawValue), "url": rule.updateURL,
            ]
            for (language, text) in rule.message.texts { texts["message.\(language)"] = text }
            for (name, text) in texts { values["\(rule.id).\(name)"] = text }
        }
    }

    /// The rules of such a state, in their order.
    package var clientRules: [ClientRule] {
        var rules: [String: (position: Int, rule: ClientRule)] = [:]
        for (name, text) in values {
            guard let dot = name.range(ofBytes: ".") else { continue }
            let id = String(name[..<dot.lowerBound])
            var (position, rule) = rules[id] ?? (0, ClientRule(id: id, status: .inService))
            switch name[dot.upperBound...] {
            case "position": position = Int(text) ?? 0
            case "os": rule.osCode = text
            case "store": rule.storeCode = text
            case "from": rule.from = text
            case "below": rule.below = text
            case "status": rule.status = Int(text).map { LaunchingStatus(rawValue: $0) } ?? .inService
            case "url": rule.updateURL = text
            case let other where other.begins(with: "message."): rule.message.texts[String(other.dropFirst(8))] = text
            default: break
            }
            rules[id] = (position, rule)
        }
        return rules.values.sorted { ($0.position, $0.rule.id) < ($1.position, $1.rule.id) }.map(\.rule)
    }
}
