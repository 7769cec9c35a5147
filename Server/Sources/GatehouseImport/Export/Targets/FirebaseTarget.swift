import GatehouseJSON
import GatehousePlatform

extension ExportTarget {
    /// Arrays for `importUsers` of Firebase's Admin SDK, whose limit is 1,000 users a call.
    static let firebase = ExportTarget(
        name: "users", suffix: ".json", begin: "[\n", separator: ",\n", end: "\n]\n", entries: 1_000, bytes: .max,
        never: neverAnywhere + [
            "Identities of Game Center: the ids that Firebase stores are others."
        ],
        entry: { player, totals in
            let member = player.member
            player.countLosses(&totals)
            var entry: [(name: String, value: StrictJSON.Value)] = [
                ("uid", .string(player.id)), ("disabled", .bool(player.ban != nil)),
            ]
            let dates = [("creationTime", member.registrationDate), ("lastSignInTime", member.lastLoginDate)]
                .compactMap { name, date in
                    date.map { (name: name, value: StrictJSON.Value.string(HTTPDate.text($0 / 1_000))) }
                }
            if !dates.isEmpty { entry.append(("metadata", .object(dates))) }
            let identities = player.identities(&totals, firebaseName)
            if !identities.isEmpty {
                let list = identities.map { provider, identity in
                    StrictJSON.Value.object([
                        ("providerId", .string(provider)), ("uid", .string(identity.subject)),
                    ])
                }
                entry.append(("providerData", .array(list)))
            }
            return PlainJSON(.object(entry)).bytes
        })

    /// Providers with an issuer can be set up as `oidc.NAME`.
    private static func firebaseName(_ identity: ImportedIdentity) -> String? {
        switch identity.provider {
        case SubjectForm.Name.google, SubjectForm.Name.apple, SubjectForm.Name.facebook, SubjectForm.Name.twitter:
            return identity.provider
        default:
            guard identity.issuer != nil else { return nil }
            return identity.provider.begins(with: "oidc.") ? identity.provider : "oidc.\(identity.provider)"
        }
    }
}
