import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension Console {
    // MARK: Signing keys

    static let rotateKey = DeedKind(
        name: "key.rotated", level: .fresh, role: .owner, section: "signing-keys", target: { _ in .signingKeys },
        preview: { visit, _ in
            DeedPreview(
                visit.words("keys.rotate-title"),
                [visit.words("keys.rotate-what"), visit.words("keys.rotate-players"), visit.words("keys.rotate-old")],
                undo: visit.words("keys.undo"), button: visit.words("deed.key.rotated"),
                cancel: visit.address("signing-keys"))
        },
        perform: { visit, _, call in
            try await call.run(RotateSigningKey(revokesOthers: false))
            return DeedResult(visit.address("signing-keys"))
        })

    static let rotateKeyRevoking = DeedKind(
        name: "key.rotated-revoking", level: .typed, role: .owner, section: "signing-keys",
        target: { _ in .signingKeys },
        preview: { visit, _ in
            let live = try await visit.run(CountLiveSessions())
            let keys = try await visit.run(ListSigningKeys()).count
            var preview = DeedPreview(
                visit.words("keys.revoke-title"),
                [
                    visit.words("keys.revoke-what", ["count": String(keys)]), visit.text(.live(live)),
                    visit.words("keys.revoke-players"), visit.words("keys.revoke-servers"),
                ], undo: visit.words("keys.revoke-undo"), button: visit.words("deed.key.rotated-revoking"),
                cancel: visit.address("signing-keys"), isDangerous: true)
            preview.typed = try visit.app().id.rawValue
            return preview
        },
        perform: { visit, _, call in
            try await call.run(RotateSigningKey(revokesOthers: true))
            return DeedResult(visit.address("signing-keys"))
        })

    // MARK: Secret keys

    static let createSecret = DeedKind(
        name: "secret.created", level: .fresh, role: .owner, section: "secrets", target: { _ in .secrets },
        fields: { visit, _ in
            [
                Field(
                    "kind", visit.words("secrets.kind"),
                    .choice(["own", "named"].map { Field.Option($0, visit.words("secrets.kind.\($0)")) }),
                    value: "own", help: visit.words("secrets.kind-help")),
                Field("name", visit.words("secrets.name"), help: visit.words("secrets.name-help"), limit: 64),
            ]
                + SecretKeyScope.allCases.map { scope in
                    Field(
                        "scope.\(scope.rawValue)", visit.words("scope.\(scope.rawValue)"), .check,
                        help: visit.words("scope.\(scope.rawValue).help"))
                }
        },
        preview: { visit, values in
            let secrets = try await visit.run(ListSecrets())
            let own = secrets.filter { $0.name == nil }
            var sentences: [String]
            if let (name, scopes) = try visit.namedSecret(values) {
                guard secrets.count - own.count < 32 else {
                    throw FormProblems(["name": visit.words("secrets.too-many")])
                }
                sentences = [visit.words("secrets.new-named", ["name": name, "scopes": visit.scopesText(scopes)])]
            } else {
                sentences = [visit.words("secrets.new-own")]
                if let newest = own.first {
                    sentences.append(visit.words("secrets.stays", ["id": visit.naming(newest)]))
                }
                // A third own key ends the first, which a game server may still use.
                for ended in own.dropFirst() {
                    sentences += [visit.words("secrets.ends", ["id": visit.naming(ended)]), visit.useWarning(ended)]
                }
            }
            return DeedPreview(
                visit.words("secrets.create-title"), sentences + [visit.words("secrets.shown-once")],
                undo: visit.words("secrets.create-undo"), button: visit.words("deed.secret.created"),
                cancel: visit.address("secrets"), isDangerous: sentences.count > 2)
        },
        perform: { visit, values, call in
            let secret: SecretKey
            if let (name, scopes) = try visit.namedSecret(values) {
                secret = try await call.run(AddSecret(name: name, scopes: scopes))
            } else {
                secret = try await call.run(RotateSecret())
            }
            return DeedResult(
                visit.address("secrets"), secrets: [Fact(visit.words("secrets.key"), .code(secret.secretValue))])
        })

    static let revokeSecret = DeedKind(
        name: "secret.revoked", level: .typed, role: .owner, section: "secrets", target: { _ in .secrets },
        preview: { visit, values in
            let secrets = try await visit.run(ListSecrets())
            guard let secret = secrets.first(where: { $0.id == values["key"] }) else {
                throw Refusal.parameter("key", visit.words("secrets.unknown"))
            }
            let own = secrets.filter { $0.name == nil }
            guard secret.name != nil || own.count > 1 else {
                throw Refusal.parameter("key", visit.words("secrets.only"))
            }
            var preview = DeedPreview(
                visit.words(
                    "secrets.revoke-title", ["id": visit.naming(secret), "name": visit.secretName(secret, own)]),
                [visit.words("secrets.revoke-what"), visit.useWarning(secret)],
                undo: visit.words("secrets.revoke-undo"), button: visit.words("deed.secret.revoked"),
                cancel: visit.address("secrets"), isDangerous: true)
            preview.typed = secret.id
            return preview
        },
        perform: { visit, values, call in
            try await call.run(RevokeSecret(id: values["key"] ?? ""))
            return DeedResult(visit.address("secrets"))
        })

    static let revokeOldSecrets = DeedKind(
        name: "secret.revoked-old", level: .typed, role: .owner, section: "secrets", target: { _ in .secrets },
        preview: { visit, _ in
            let own = try await visit.run(ListSecrets()).filter { $0.name == nil }
            guard let newest = own.first, own.count > 1 else {
                throw Refusal.parameter("key", visit.words("secrets.only"))
            }
            var preview = DeedPreview(
                visit.words("secrets.revoke-old-title"),
                own.dropFirst().flatMap { ended in
                    [visit.words("secrets.revoke-old-what", ["id": visit.naming(ended)]), visit.useWarning(ended)]
                } + [visit.words("secrets.newest-stays", ["id": visit.naming(newest)])],
                undo: visit.words("secrets.revoke-undo"), button: visit.words("deed.secret.revoked-old"),
                cancel: visit.address("secrets"), isDangerous: true)
            // Who types it has looked at the key that ends.
            preview.typed = own.dropFirst().first?.id
            return preview
        },
        perform: { visit, _, call in
            try await call.run(RevokeOldSecrets())
            return DeedResult(visit.address("secrets"))
        })
}

extension Visit {
    /// The name and the scopes of a form for a named key; nil for a new one of the app's own.
    fileprivate func namedSecret(_ values: FormValues) throws -> (name: String, scopes: Set<SecretKeyScope>)? {
        var form = FormReader(values, self)
        switch values["kind"] {
        case "own": return nil
        case "named": break
        default: form.report("kind", words("problem.choice"))
        }
        let name = form.text("name", bytes: 64)
        if name == nil { form.report("name", words("secrets.name-problem")) }
        let scopes = Set(SecretKeyScope.allCases.filter { values.isSet("scope.\($0.rawValue)") })
        if scopes.isEmpty { form.report("scope.check", words("secrets.scope-problem")) }
        try form.finish()
        return (name ?? "", scopes)
    }
}
