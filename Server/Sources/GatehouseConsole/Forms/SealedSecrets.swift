import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

/// Secrets on their way from a form to its confirmation. Only the server can open them, and only for the same person, app and provider.
struct SealedSecrets: Codable, Sendable {
    let person: String
    let app: String
    let provider: String
    var changes: ProviderSecretChanges
}

/// What is wrong with the secrets of a form, by the names of their fields, and the form with its other secrets sealed.
struct SecretProblems: Error, Sendable {
    let problems: [String: String]
    let values: FormValues
}

extension PageRequest {
    static let sealedField = "sealed"

    /// The secrets that a form holds, or that were sealed before.
    func secretChanges(in values: FormValues) -> ProviderSecretChanges {
        guard let text = values[Self.sealedField], text.utf8.count <= 200_000,
            let sealed: SealedSecrets = actions.openForm(text, at: moment), sealed.person == person.id.rawValue,
            sealed.app == place?.app.id.rawValue, sealed.provider == values["provider"] ?? ""
        else { return ProviderSecretChanges() }
        return sealed.changes
    }

    /// What the names of fields with secrets begin with.
    static let secretMark = "secret."

    /// The form of an operator's action, with the secrets that were typed in one sealed field.
    func sealingSecrets(in values: FormValues) throws -> FormValues {
        let typed = values.all.filter { $0.key.begins(with: Self.secretMark) && values.isSet($0.key) }
        guard !typed.isEmpty else { return values }
        var (values, changes) = (values, secretChanges(in: values))
        for (name, secret) in typed {
            changes.values[String(name.dropFirst(Self.secretMark.count))] = secret
            values[name] = nil
        }
        let sealed = SealedSecrets(
            person: person.id.rawValue, app: place?.app.id.rawValue ?? "", provider: values["provider"] ?? "",
            changes: changes)
        values[Self.sealedField] = try actions.sealForm(sealed, at: moment)
        return values
    }

    /// The form with its secrets in one sealed field. None that was typed is in the form afterwards, also where it can't be read.
    ///
    /// - Throws: ``SecretProblems`` for what can't be read. The secrets beside it are sealed.
    func sealingSecrets(of form: ProviderForm, _ values: FormValues) throws -> FormValues {
        var values = values
        var changes = secretChanges(in: values)
        var problems: [String: String] = [:]
        for slot in form.kind.offeredSecrets {
            let field = "secret.\(slot.name)"
            let typed = values[field]
            if values.unreadable.contains(field) {
                problems[field] = words("problem.unreadable")
            } else if slot.form == .pairs {
                let pairs = ProviderForm.lines(typed ?? "").map { line in
                    line.parts(at: "=", atMost: 2).map { $0.trimmingSpaces() }
                }
                if pairs.allSatisfy({ $0.count == 2 }) {
                    for pair in pairs { changes.values["\(slot.name).\(pair[0])"] = pair[1] }
                } else {
                    problems[field] = words("provider.problem.form.pairs")
                }
            } else if let typed, typed != form.view?.secrets[slot.name]?.value {
                changes.values[slot.name] = typed.substituting("\r\n", by: "\n")
            }
            guard values.isSet("remove.\(slot.name)") else { continue }
            let group = slot.form == .key ? slot.name.firstPart(at: ".") : slot.name
            changes.removed.insert(group)
            if typed == nil {
                changes.values = changes.values.filter { $0.key != group && !$0.key.begins(with: "\(group).") }
            }
        }
        for name in values.all.keys where name.begins(with: "secret.") || name.begins(with: "remove.") {
            values[name] = nil
        }
        if !changes.isEmpty {
            let sealed = SealedSecrets(
                person: person.id.rawValue, app: place?.app.id.rawValue ?? "", provider: form.provider.rawValue,
                changes: changes)
            values[Self.sealedField] = try actions.sealForm(sealed, at: moment)
        }
        guard problems.isEmpty else { throw SecretProblems(problems: problems, values: values) }
        return values
    }
}
