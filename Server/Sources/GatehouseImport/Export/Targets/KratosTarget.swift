import GatehouseJSON

extension ExportTarget {
    /// Bodies for `PATCH /admin/identities` of Ory Kratos, whose limit is 1,000 identities a call.
    static let kratos = ExportTarget(
        name: "identities", suffix: ".json", begin: "{\"identities\":[\n", separator: ",\n", end: "\n]}\n",
        entries: 1_000, bytes: .max, companions: [(name: "player.schema.json", text: kratosSchema)],
        never: neverAnywhere + [
            "Identities of Game Center: Kratos has no such provider."
        ],
        entry: { player, totals in
            player.countLosses(&totals)
            var create: [(name: String, value: StrictJSON.Value)] = [
                ("schema_id", .string("player")), ("traits", .object([("player", .string(player.id))])),
                ("external_id", .string(player.id)),
                ("state", .string(player.ban == nil ? "active" : "inactive")),
                ("metadata_admin", .object([("gatehouse", player.facts)])),
            ]
            let identities = player.identities(&totals, kratosName)
            if !identities.isEmpty {
                let providers = identities.map { provider, identity in
                    StrictJSON.Value.object([
                        ("provider", .string(provider)), ("subject", .string(identity.subject)),
                    ])
                }
                let config = StrictJSON.Value.object([("providers", .array(providers))])
                create.append(("credentials", .object([("oidc", .object([("config", config)]))])))
            }
            return PlainJSON(.object([("patch_id", .string(player.uuid)), ("create", .object(create))])).bytes
        })

    /// The ids under which Kratos' own examples set providers up.
    private static func kratosName(_ identity: ImportedIdentity) -> String? {
        switch identity.provider {
        case SubjectForm.Name.google: "google"
        case SubjectForm.Name.apple: "apple"
        case SubjectForm.Name.facebook: "facebook"
        case SubjectForm.Name.twitter: "x"
        case SubjectForm.Name.line: "line"
        case SubjectForm.Name.gameCenter: nil
        default: identity.provider
        }
    }

    /// The identity schema that the identities need.
    private static let kratosSchema = """
        {
          "$id": "https://schemas.invalid/player.schema.json",
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Player",
          "type": "object",
          "properties": {
            "traits": {
              "type": "object",
              "properties": { "player": { "type": "string", "title": "Player", "minLength": 1, "maxLength": 256 } },
              "required": ["player"],
              "additionalProperties": false
            }
          }
        }

        """
}
