import GatehouseJSON

extension ExportTarget {
    /// Arrays for Auth0's jobs that import users, whose limit is 500 KB a file.
    static let auth0 = ExportTarget(
        name: "users", suffix: ".json", begin: "[\n", separator: ",\n", end: "\n]\n", entries: .max, bytes: 500_000,
        never: neverAnywhere + [
            """
            Identities: Auth0 makes those of social providers at a login. They stand in app_metadata.gatehouse, so that an action after the \
            login can find the user and link the two.
            """,
            "E-mail addresses: a user of Auth0's databases needs one, so each has USERID@members.invalid, where nothing arrives.",
        ],
        entry: { player, totals in
            player.countLosses(&totals)
            totals.lose(.providers, player.member.identities.count)
            return PlainJSON(
                .object([
                    ("user_id", .string(player.id)), ("email", .string("\(player.id)@members.invalid")),
                    ("email_verified", .bool(false)), ("blocked", .bool(player.ban != nil)),
                    ("app_metadata", .object([("gatehouse", player.facts)])),
                ])
            ).bytes
        })
}
