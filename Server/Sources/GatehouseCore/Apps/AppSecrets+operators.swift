package import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
import GatehouseWire

/// Creates a secret key, which is returned only here: one of the app's own, or an additional one with a name.
package struct CreateSecret: OperatorAction {
    package static let about = OperatorActionAbout(
        "secret.created", role: .owner, step: .fresh, section: "secrets", subject: .secrets)
    package static let inputs: [Input<Self>] = [kind]

    /// The name of an additional key, 1 to 64 bytes, and at least one scope; nil for one of the app's own. Several keys may have the same
    /// name, while one replaces another.
    var additional: (name: String, scopes: Set<SecretKeyScope>)?

    package init(on target: ActionTarget) {}

    /// One of the app's own, besides the newest old one.
    package init() {}

    /// An additional one.
    package init(name: String, scopes: Set<SecretKeyScope>) {
        additional = (name, scopes)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let secrets = try SecretRules.secrets(of: context.app.id, in: tx)
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
                [Phrase("secrets.ends", ["id": .text(key.label)]), key.use(at: context.moment)]
            }
            preview.isDangerous = !ended.isEmpty
        }
        preview.consequences.append("secrets.shown-once")
        return preview
    }

    package func perform(_ work: Work) async throws -> SecretKey {
        try await work.transact { [additional] change, tx in
            let (app, moment, random) = (change.app.id, change.moment, change.random)
            guard let (name, scopes) = additional else {
                let (secret, revoked) = try SecretRules.rotate(of: app, at: moment, random: random, in: tx)
                try change.record(.secretCreated, revoked: revoked, in: tx)
                return secret
            }
            let secret = try SecretRules.add(to: app, name: name, scopes: scopes, at: moment, random: random, in: tx)
            try change.record(.secretCreated, in: tx)
            return secret
        }
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
        action.additional = (name, scopes)
    }
}

/// Ends one secret key at once.
package struct RevokeSecret: OperatorAction {
    package static let about = OperatorActionAbout(
        "secret.revoked", role: .owner, step: .typed, section: "secrets", subject: .secrets)
    package static let inputs: [Input<Self>] = [
        Input { action, values, _ in action.id = values.text("key") ?? "" }
    ]

    /// Its ``AppSecret/id``.
    var id = ""

    package init(on target: ActionTarget) {}

    package init(id: String) {
        self.id = id
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let secrets = try SecretRules.secrets(of: context.app.id, in: tx)
        guard let secret = secrets.first(where: { $0.id == id }) else {
            throw ImpossibleAction(phrase: "secrets.unknown", parameter: "key")
        }
        let own = secrets.filter { $0.name == nil }
        guard secret.name != nil || own.count > 1 else {
            throw ImpossibleAction(phrase: "secrets.only", parameter: "key")
        }
        var preview = Preview(
            Phrase("secrets.revoke-title", ["id": .text(secret.label), "name": .phrase(secret.title(among: own))]),
            ["secrets.revoke-what", secret.use(at: context.moment)], undo: "secrets.revoke-undo")
        preview.isDangerous = true
        preview.typed = secret.id
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try SecretRules.revoke(id, of: change.app.id, at: change.moment, in: tx)
            try change.record(.secretRevoked, revoked: [id], in: tx)
        }
    }
}

/// Ends all of an app's own secret keys except the newest, and returns their number.
package struct RevokeOldSecrets: OperatorAction {
    package static let about = OperatorActionAbout(
        "secret.revoked-old", role: .owner, step: .typed, section: "secrets", subject: .secrets)

    package init(on target: ActionTarget) {}

    package init() {}

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let own = try SecretRules.secrets(of: context.app.id, in: tx).filter { $0.name == nil }
        guard let newest = own.first, own.count > 1 else {
            throw ImpossibleAction(phrase: "secrets.only", parameter: "key")
        }
        var preview = Preview(
            "secrets.revoke-old-title",
            own.dropFirst().flatMap { ended in
                [Phrase("secrets.revoke-old-what", ["id": .text(ended.label)]), ended.use(at: context.moment)]
            } + [Phrase("secrets.newest-stays", ["id": .text(newest.label)])], undo: "secrets.revoke-undo")
        preview.isDangerous = true
        // Who types it has looked at the key that ends.
        preview.typed = own[1].id
        return preview
    }

    package func perform(_ work: Work) async throws -> Int {
        try await work.transact { change, tx in
            let revoked = try SecretRules.revokeOld(of: change.app.id, at: change.moment, in: tx)
            if !revoked.isEmpty { try change.record(.oldSecretsRevoked, revoked: revoked, in: tx) }
            return revoked.count
        }
    }
}

/// Lists the secret keys that are valid now, newest first.
package struct ListSecrets: Action {
    package static let permission = Permission.administer

    package init() {}

    package func perform(_ work: Work) async throws -> [AppSecret] {
        let app = work.app.id
        return try await work.services.database.read { tx in try SecretRules.secrets(of: app, in: tx) }
    }
}

/// Tells whether a secret key is valid.
package struct CheckSecret: Action {
    package static let permission = Permission.administer

    let secret: SecretKey

    package init(secret: SecretKey) {
        self.secret = secret
    }

    package func perform(_ work: Work) async throws -> Bool {
        let app = work.app.id
        return try await work.services.database.read { tx in try SecretRules.secrets(of: app, in: tx) }
            .contains { $0.isHash(of: secret) }
    }
}

extension Change {
    /// Records which secret keys have ended, so that they can be ended again in a restored database (``AccessReplay``).
    func record(_ event: AppEvent, revoked: [String], in tx: Draft) throws {
        try record(event, revoked.isEmpty ? [:] : ["revoked": revoked.joined(separator: " ")], in: tx)
    }
}

/// How far an app's game servers have changed over from its former own secret key to its newest.
package struct SecretRotation: Sendable, Hashable {
    /// How long a former key is not used before it is safe to revoke: each game server has asked with the newest by then.
    package static let silentSeconds: Int64 = 86_400

    package let newest: AppSecret
    /// Nil while the newest is the only one.
    package let former: AppSecret?

    /// Nil for an app without an own key.
    ///
    /// - Parameter secrets: the app's valid keys, newest first.
    package init?(_ secrets: [AppSecret]) {
        let own = secrets.filter { $0.name == nil }
        guard let newest = own.first else { return nil }
        self.newest = newest
        former = own.dropFirst().first
    }

    /// When the newest key was used last, which shows that a game server has it; nil while none has.
    package var deployedAt: Moment? { former == nil ? nil : newest.lastUsedAt }

    /// Since when the former key is not used; nil without one.
    package var silentSince: Moment? { former.map { $0.lastUsedAt ?? $0.createdAt } }

    /// From when on the former key has been silent for long enough, if it stays so.
    package var silentFrom: Moment? { silentSince?.adding(seconds: Self.silentSeconds) }

    package func isSilent(at moment: Moment) -> Bool { silentFrom.map { $0 <= moment } ?? false }

    /// Whether the former key can be revoked without a game server noticing.
    package func isSafe(at moment: Moment) -> Bool { deployedAt != nil && isSilent(at: moment) }
}
