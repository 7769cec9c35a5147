import Foundation
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

extension Visit {
    private static let sealedField = "sealed"

    /// The secrets that a form holds, or that were sealed before.
    func secretChanges(in values: FormValues) -> ProviderSecretChanges {
        guard let text = values[Self.sealedField], text.utf8.count <= 200_000,
            let sealed: SealedSecrets = actions.openForm(text, at: moment), sealed.person == person.id.rawValue,
            sealed.app == place?.app.id.rawValue, sealed.provider == values["provider"]
        else { return ProviderSecretChanges() }
        return sealed.changes
    }

    /// The form with its secrets in one sealed field.
    func sealingSecrets(of form: ProviderForm, _ values: FormValues) throws -> FormValues {
        var values = values
        var changes = secretChanges(in: values)
        for slot in form.kind.offeredSecrets {
            let typed = values["secret.\(slot.name)"]
            if slot.form == .pairs {
                for line in ProviderForm.lines(typed ?? "") {
                    let parts = line.parts(at: "=", atMost: 2).map { $0.trimmingSpaces() }
                    guard parts.count == 2 else {
                        throw FormProblems(["secret.\(slot.name)": words("provider.problem.form.pairs")])
                    }
                    changes.values["\(slot.name).\(parts[0])"] = parts[1]
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
        guard !changes.isEmpty else { return values }
        let sealed = SealedSecrets(
            person: person.id.rawValue, app: place?.app.id.rawValue ?? "", provider: form.provider.rawValue,
            changes: changes)
        values[Self.sealedField] = try actions.sealForm(sealed, at: moment)
        return values
    }
}
