import GatehouseJSON
import GatehousePlatform

extension ExportTarget {
    /// SQL for the tables of Supabase Auth. A file is one transaction.
    static let supabase = ExportTarget(
        name: "members", suffix: ".sql",
        begin: """
            BEGIN;
            SET LOCAL client_encoding = 'UTF8';
            SET LOCAL standard_conforming_strings = on;

            """,
        separator: "", end: "COMMIT;\n", entries: 10_000, bytes: .max,
        never: neverAnywhere + [
            "User ids: Supabase's are UUIDs. The old one stands in raw_app_meta_data as gatehouse_user_id."
        ],
        entry: { player, totals in
            player.countLosses(&totals, keepsBanEnds: true)
            let identities = player.identities(&totals, supabaseName)
            var text = user(player, providers: identities.map(\.provider))
            for (provider, identity) in identities { text += row(of: identity, provider, of: player) }
            return Array(text.utf8)
        })

    private static func supabaseName(_ identity: ImportedIdentity) -> String? {
        switch identity.provider {
        case SubjectForm.Name.google: return "google"
        case SubjectForm.Name.apple: return "apple"
        case SubjectForm.Name.facebook: return "facebook"
        case SubjectForm.Name.twitter: return "twitter"
        case "kakao": return "kakao"
        default:
            guard identity.issuer != nil else { return nil }
            return identity.provider.begins(with: "custom:") ? identity.provider : "custom:\(identity.provider)"
        }
    }

    /// Its four empty tokens are never null in rows that Supabase makes, and its server does not read null there.
    private static func user(_ player: ExportedPlayer, providers: [String]) -> String {
        let member = player.member
        var metadata: [(name: String, value: StrictJSON.Value)] = []
        if let first = providers.first {
            metadata = [("provider", .string(first)), ("providers", .array(providers.map { .string($0) }))]
        }
        metadata.append(("gatehouse_user_id", .string(player.id)))
        let registered = time(member.registrationDate ?? 0)
        // A ban without an end: the last second of the year 9999.
        let banned = player.ban.map { time($0.endDate ?? ImportLimits.lastDate) } ?? "NULL"
        return """
            INSERT INTO auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, \
            last_sign_in_at, banned_until, is_anonymous, confirmation_token, recovery_token, email_change, email_change_token_new)
            VALUES ('00000000-0000-0000-0000-000000000000', \(quoted(player.uuid)), 'authenticated', 'authenticated', \
            \(json(.object(metadata))), '{}', \(registered), \(registered), \(member.lastLoginDate.map(time) ?? "NULL"), \(banned), \
            \(providers.isEmpty), '', '', '', '');

            """
    }

    private static func row(of identity: ImportedIdentity, _ provider: String, of player: ExportedPlayer) -> String {
        var facts: [(name: String, value: StrictJSON.Value)] = [("sub", .string(identity.subject))]
        if let issuer = identity.issuer { facts.append(("iss", .string(issuer))) }
        let id = ExportedPlayer.uuid(of: "urn:gatehouse:player:\(player.id):\(provider)")
        let registered = time(identity.registrationDate ?? player.member.registrationDate ?? 0)
        return """
            INSERT INTO auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
            VALUES (\(quoted(id)), \(quoted(player.uuid)), \(quoted(provider)), \(quoted(identity.subject)), \
            \(json(.object(facts))), \(registered), \(registered));

            """
    }

    private static func time(_ milliseconds: Int64) -> String {
        let rest = String(milliseconds % 1_000)
        let digits = String(repeating: "0", count: max(0, 3 - rest.utf8.count)) + rest
        return "to_timestamp(\(milliseconds / 1_000).\(digits))"
    }

    private static func json(_ value: StrictJSON.Value) -> String {
        quoted(String(decoding: PlainJSON(value).bytes, as: UTF8.self))
    }

    /// A literal of SQL with `standard_conforming_strings`. A record has no NUL, which PostgreSQL does not take.
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [0x27]
        for byte in text.utf8 where byte != 0 {
            if byte == 0x27 { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [0x27], as: UTF8.self)
    }
}
