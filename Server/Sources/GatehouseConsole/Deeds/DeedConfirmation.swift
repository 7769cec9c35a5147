import Crypto
import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

/// Says that the server has shown to a person what a change will do, for certain values and in a certain state of its target. The page
/// has it sealed, and sends it with the change, so that nothing is done that was not shown.
struct DeedConfirmation: Codable, Sendable {
    let digest: String
}

extension Visit {
    /// - Parameter values: what the browser sends, if nobody changes the form.
    func confirmation(of kind: DeedKind, _ values: FormValues, seen: String) throws -> String {
        try actions.sealForm(DeedConfirmation(digest: digest(of: kind, values, seen: seen)), at: moment)
    }

    /// Whether the person was shown what a form does, as it was sent.
    func isConfirmed(_ kind: DeedKind, _ form: FormValues) -> Bool {
        guard let seen = form["seen"], let text = form["shown"], text.utf8.count <= 1_000,
            let confirmation: DeedConfirmation = actions.openForm(text, at: moment)
        else { return false }
        return confirmation.digest == digest(of: kind, form, seen: seen)
    }

    /// A text that changes with each value, but not with the reason.
    private func digest(of kind: DeedKind, _ values: FormValues, seen: String) -> String {
        var parts = [kind.name, person.id.rawValue, place?.app.id.rawValue ?? "", seen]
        for name in values.all.keys.sorted() where !DeedPage.ownFields.contains(name) && !Self.isOfSecrets(name) {
            guard let value = values[name] else { continue }
            parts += [name, value]
        }
        // Each page seals the same secrets to other bytes, so the secrets themselves are compared.
        let secrets = secretChanges(in: values)
        for (name, secret) in secrets.values.sorted(by: { $0.key < $1.key }) { parts += [name, secret] }
        parts += secrets.removed.sorted()
        // The length before each part keeps two lists of parts apart.
        let text = parts.map { "\($0.utf8.count) \($0)" }.joined()
        return Base64URL.encode(Array(SHA256.hash(data: Data(text.utf8))))
    }

    private static func isOfSecrets(_ name: String) -> Bool {
        name == sealedField || name.begins(with: "secret.") || name.begins(with: "remove.")
    }
}
