/// Supabase Auth: JSON lines of the SELECT in docs/import.md, from a file or from its tables (``SupabaseQueries``).
struct SupabaseSource: ImportSource {
    private let options: ConversionOptions

    init(_ options: ConversionOptions) { self.options = options }

    var tables: ImportForm? { ImportForm(name: "Supabase, its tables", framing: .lines) }

    func form(of start: FileStart) -> ImportForm? {
        guard start.objects.contains(where: { $0.has("id") && $0.has("createdMs") && $0.has("anonymous") }) else {
            return nil
        }
        return ImportForm(name: "Supabase, JSON lines of its tables", framing: .lines)
    }

    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem) {
        let user = try record.object()
        try draft.setID(try user.text("id"), at: "id")
        if user.value("deletedMs") != nil { draft.skip = .deleted }
        draft.registrationDate = try user.number("createdMs")
        draft.lastLoginDate = try user.number("lastSignInMs")
        for identity in try user.objects("identities") ?? [] { try add(identity, to: &draft) }
        if let end = try user.number("bannedUntilMs") {
            draft.add(.upTo(end, begin: nil, reference: options.takenDate ?? draft.latestDate))
        }
        if try !user.flag("anonymous"), draft.member.identities.isEmpty { draft.loseWay() }
        draft.ignoreOthers(
            in: user,
            than: ["id", "anonymous", "createdMs", "lastSignInMs", "bannedUntilMs", "deletedMs", "sso", "identities"])
    }

    private func add(_ identity: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        guard let provider = try identity.text("provider"), let subject = try identity.text("subject") else {
            throw RecordProblem(.missing, at: identity.path, "an identity has a provider and a subject")
        }
        switch provider {
        case "email": return draft.drop(.email, isWayIn: true)
        case "phone": return draft.drop(.phone, isWayIn: true)
        default: break
        }
        // Providers that the project has set up itself have an issuer, which says whose subjects they are. Those of the others are known.
        let name = Self.names[provider]
        let issuer = name == nil ? try identity.text("iss") : nil
        try draft.add(
            ImportedIdentity(
                provider: name ?? provider, subject: subject, issuer: issuer,
                registrationDate: try identity.number("createdMs")), at: identity.path)
        draft.ignoreOthers(in: identity, than: ["provider", "subject", "iss", "createdMs"])
    }

    private static let names = [
        "google": SubjectForm.Name.google, "apple": SubjectForm.Name.apple, "facebook": SubjectForm.Name.facebook,
        "twitter": SubjectForm.Name.twitter, "x": SubjectForm.Name.twitter,
    ]
}

/// The tables of Supabase Auth. Each row of the SELECT is a line of the file that ``SupabaseSource`` reads.
enum SupabaseQueries {
    /// `docs/import.md` has the same. A ban until `infinity` ends on the last day that can be read.
    static let users = """
        SELECT json_strip_nulls(json_build_object('id',u.id,'anonymous',u.is_anonymous,'createdMs',floor(extract(epoch from u.created_at)*1000)::bigint,
         'lastSignInMs',floor(extract(epoch from u.last_sign_in_at)*1000)::bigint,
         'bannedUntilMs',CASE WHEN u.banned_until > 'epoch' THEN floor(extract(epoch from least(u.banned_until,'9999-12-30 00:00:00Z'))*1000)::bigint END,
         'deletedMs',floor(extract(epoch from u.deleted_at)*1000)::bigint,'sso',nullif(u.is_sso_user,false),
         'identities',(SELECT json_agg(json_build_object('provider',i.provider,'subject',i.provider_id,'iss',i.identity_data->>'iss',
           'createdMs',floor(extract(epoch from i.created_at)*1000)::bigint) ORDER BY i.provider,i.provider_id) FROM auth.identities i WHERE i.user_id=u.id)))
        FROM auth.users u ORDER BY u.id
        """
}
