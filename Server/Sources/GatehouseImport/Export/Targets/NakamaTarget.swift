import GatehouseJSON

extension ExportTarget {
    /// Lines of JSON, each an account as Nakama's console exports one, for its call ImportAccountFull.
    static let nakama = ExportTarget(
        name: "accounts", suffix: ".jsonl", begin: "", separator: "\n", end: "\n", entries: 10_000, bytes: .max,
        never: neverAnywhere + [
            "User ids: Nakama's are UUIDs. The old one is the user name, and stands in the metadata.",
            "When a player has last logged in.",
        ],
        entry: { player, totals in
            let member = player.member
            player.countLosses(&totals)
            let metadata = PlainJSON(.object([("gatehouse_user_id", .string(player.id))])).bytes
            var user: [(name: String, value: StrictJSON.Value)] = [
                ("id", .string(player.uuid)), ("username", .string(player.id)),
                ("metadata", .string(String(decoding: metadata, as: UTF8.self))),
            ]
            for (column, identity) in player.identities(&totals, nakamaColumn) {
                user.append((column, .string(identity.subject)))
            }
            let created = ExportedPlayer.time(member.registrationDate ?? 0)
            user += [("create_time", .string(created)), ("update_time", .string(created))]
            var account: [(name: String, value: StrictJSON.Value)] = [
                ("user", .object(user)), ("wallet", .string("{}")),
            ]
            if let ban = player.ban {
                let begin = ban.beginDate ?? member.registrationDate ?? 1_000
                account.append(("disable_time", .string(ExportedPlayer.time(begin))))
            }
            return PlainJSON(.object([("account", .object(account))])).bytes
        })

    private static func nakamaColumn(_ identity: ImportedIdentity) -> String? {
        switch identity.provider {
        case SubjectForm.Name.google: "google_id"
        case SubjectForm.Name.apple: "apple_id"
        case SubjectForm.Name.facebook: "facebook_id"
        case SubjectForm.Name.gameCenter: "gamecenter_id"
        case SubjectForm.Name.steam: "steam_id"
        default: nil
        }
    }
}
