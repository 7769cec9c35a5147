import GatehouseJSON
import GatehouseWire

/// Nakama: JSON lines of the SELECT in docs/import.md, from a file or from its tables (``NakamaQueries``).
struct NakamaSource: ImportSource {
    init(_ options: ConversionOptions) {}

    var tables: ImportForm? { ImportForm(name: "Nakama, its tables", framing: .lines) }

    func form(of start: FileStart) -> ImportForm? {
        guard start.objects.contains(where: { $0.has("id") && $0.has("createMs") && $0.has("hasPassword") }) else {
            return nil
        }
        return ImportForm(name: "Nakama, JSON lines of its tables", framing: .lines)
    }

    private static let systemUser = "00000000-0000-0000-0000-000000000000"

    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem) {
        let user = try record.object()
        try draft.setID(try user.text("id"), at: "id")
        if draft.member.legacyID == Self.systemUser { draft.skip = .systemUser }
        draft.registrationDate = try user.number("createMs")
        // 1970 stands for a user that is not banned.
        if let date = try user.number("disableMs"), date > 0 { draft.add(ImportedBan(.permanent, beginDate: date)) }
        try addIdentities(of: user, to: &draft)
        if let custom = try user.text("custom") { try draft.add(.customID, custom, at: "custom") }
        if case .array(let devices)? = user.value("devices") {
            for (index, device) in devices.enumerated() {
                guard case .string(let id) = device else {
                    throw RecordProblem(.badType, at: "devices[\(index)]", "it must be a text")
                }
                try draft.add(.deviceID, id, at: "devices[\(index)]")
            }
        } else if user.value("devices") != nil {
            throw RecordProblem(.badType, at: "devices", "it must be a list")
        }
        if try user.text("email") != nil { draft.drop(.email, isWayIn: true) }
        if try user.flag("hasPassword") { draft.drop(.password, isWayIn: true) }
        if try user.text("username") != nil { draft.drop(.name) }
        if user.value("wallet") != nil { draft.drop(.wallet) }
        if draft.member.identities.isEmpty, draft.member.devices.isEmpty { draft.loseWay() }
        draft.keep("metadata", user.value("metadata"))
        draft.ignoreOthers(in: user, than: Self.known)
    }

    private static let known: Set = [
        "id", "username", "createMs", "updateMs", "disableMs", "google", "apple", "facebook", "facebookInstant",
        "gameCenter", "steam", "custom", "email", "hasPassword", "metadata", "wallet", "devices",
    ]

    private func addIdentities(of user: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        if let subject = try user.text("google") {
            // Nakama keeps a subject or a player id of Play Games in the same column; those of Play Games begin with a letter.
            if SubjectForm.fits(subject, of: SubjectForm.Name.google) {
                try draft.add(ImportedIdentity(provider: SubjectForm.Name.google, subject: subject), at: "google")
            } else {
                draft.addUnmatched(provider: SubjectForm.Name.playGames, subject: subject, code: "notMatchable")
            }
        }
        if let subject = try user.text("gameCenter") {
            let kind = SubjectForm.gameCenterKind(of: subject)
            try draft.add(
                ImportedIdentity(provider: SubjectForm.Name.gameCenter, subject: subject, kind: kind), at: "gameCenter")
        }
        for (name, provider) in [
            ("apple", SubjectForm.Name.apple), ("facebook", SubjectForm.Name.facebook),
            ("steam", SubjectForm.Name.steam),
            ("facebookInstant", "facebookInstant"),
        ] {
            guard let subject = try user.text(name) else { continue }
            try draft.add(ImportedIdentity(provider: provider, subject: subject), at: name)
        }
    }
}

/// Nakama's own tables. Each row of the SELECT is a line of the file that ``NakamaSource`` reads.
enum NakamaQueries {
    /// `docs/import.md` has the same. A ban has no end; a time that is infinite has the last day that can be read.
    static let users = """
        SELECT json_strip_nulls(json_build_object(
         'id', u.id, 'username', u.username, 'createMs', floor(extract(epoch from u.create_time)*1000)::bigint,
         'updateMs', floor(extract(epoch from u.update_time)*1000)::bigint,
         'disableMs', CASE WHEN u.disable_time > 'epoch' THEN floor(extract(epoch from least(u.disable_time, '9999-12-30 00:00:00Z'))*1000)::bigint END,
         'google', u.google_id, 'apple', u.apple_id, 'facebook', u.facebook_id, 'facebookInstant', u.facebook_instant_game_id,
         'gameCenter', u.gamecenter_id, 'steam', u.steam_id, 'custom', u.custom_id, 'email', u.email, 'hasPassword', u.password IS NOT NULL,
         'metadata', nullif(u.metadata, '{}'::jsonb),
         'devices', (SELECT json_agg(d.id ORDER BY d.id) FROM user_device d WHERE d.user_id = u.id)))
        FROM users u WHERE u.id > '00000000-0000-0000-0000-000000000000' ORDER BY u.id
        """
}
