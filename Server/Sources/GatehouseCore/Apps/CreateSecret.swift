import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
import GatehouseWire

/// Creates a secret key, which is returned only here: one of the app's own, or an additional one with a name.
package struct CreateSecret: OperatorAction {
    package static let about = OperatorActionAbout(
        "secret.created", role: .owner, step: .fresh, section: "secrets", subject: .secrets)
    package static let inputs: [Input<Self>] = [kind]

    /// Nil for one of the app's own.
    var additional: AddSecret?

    package init(on target: DeedTarget) {}

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let secrets = try SecretRules.secrets(of: view.app, in: tx)
        var preview = Preview("secrets.create-title", [], undo: "secrets.create-undo")
        if let additional {
            guard secrets.count(where: { $0.name != nil }) < SecretRules.maximumNamed else {
                throw InputProblems(["name": "secrets.too-many"])
            }
            preview.consequences = [
                Phrase(
                    "secrets.new-named", ["name": .text(additional.name), "scopes": .scopes(additional.scopes)])
            ]
        } else {
            let own = secrets.filter { $0.name == nil }
            preview.consequences = ["secrets.new-own"]
            if let newest = own.first {
                preview.consequences.append(Phrase("secrets.stays", ["id": .text(newest.label)]))
            }
            // A third own key ends the first, which a game server may still use.
            let ended = own.dropFirst()
            preview.consequences += ended.flatMap { key in
                [Phrase("secrets.ends", ["id": .text(key.label)]), key.use(at: view.moment)]
            }
            preview.isDangerous = !ended.isEmpty
        }
        preview.consequences.append("secrets.shown-once")
        return preview
    }

    package func perform(_ work: Work) async throws -> SecretKey {
        guard let additional else { return try await RotateSecret().perform(work) }
        return try await additional.perform(work)
    }

    package static func result(_ secret: SecretKey) -> ActionResult {
        ActionResult(secrets: [("secrets.key", secret.secretValue)])
    }

    /// Which of both it is. Name and scopes are those of an additional key.
    private static let kind = Input<Self> { _, _, _ in
        let kinds = ["own", "named"].map { InputField.Option(value: $0, label: Phrase("secrets.kind.\($0)")) }
        return [
            InputField(
                name: "kind", label: "secrets.kind", kind: .choice(kinds), value: "own", help: "secrets.kind-help"),
            InputField(
                name: "name", label: "secrets.name", kind: .text, help: "secrets.name-help", limit: 64),
        ]
            + SecretKeyScope.allCases.map { scope in
                InputField(
                    name: "scope.\(scope.rawValue)", label: Phrase("scope.\(scope.rawValue)"), kind: .check,
                    help: Phrase("scope.\(scope.rawValue).help"))
            }
    } read: { action, values, _ in
        let kind = values.text("kind")
        guard kind != "own" else { return }
        var problems: [String: Phrase] = [:]
        if kind != "named" { problems["kind"] = "problem.choice" }
        let name = try? values.text("name", bytes: 64)
        if name == nil { problems["name"] = "secrets.name-problem" }
        let scopes = Set(SecretKeyScope.allCases.filter { values.text("scope.\($0.rawValue)") != nil })
        if scopes.isEmpty { problems["scope.check"] = "secrets.scope-problem" }
        guard let name, problems.isEmpty else { throw InputProblems(problems) }
        action.additional = AddSecret(name: name, scopes: scopes)
    }
}

/// Creates a new own secret key of an app besides the newest old one. It is returned only here.
package struct RotateSecret: Action {
    package static let permission = Permission.administer

    package init() {}

    package var audited: AuditedRun? { AuditedRun(on: .secrets) }

    package func perform(_ work: Work) async throws -> SecretKey {
        try await work.transact { change, tx in
            let (secret, revoked) = try SecretRules.rotate(
                of: change.app.id, at: change.moment, random: change.random, in: tx)
            try change.record(.secretCreated, revoked: revoked, in: tx)
            return secret
        }
    }
}

/// Creates an additional secret key, which is returned only here.
package struct AddSecret: Action {
    package static let permission = Permission.administer

    /// 1 to 64 bytes. Several keys may have the same name, while one replaces another.
    let name: String
    /// At least one.
    let scopes: Set<SecretKeyScope>

    package init(name: String, scopes: Set<SecretKeyScope>) {
        self.name = name
        self.scopes = scopes
    }

    package var audited: AuditedRun? { AuditedRun(on: .secrets) }

    package func perform(_ work: Work) async throws -> SecretKey {
        try await work.transact { change, tx in
            let secret = try SecretRules.add(
                to: change.app.id, name: name, scopes: scopes, at: change.moment, random: change.random, in: tx)
            try change.record(.secretCreated, in: tx)
            return secret
        }
    }
}
