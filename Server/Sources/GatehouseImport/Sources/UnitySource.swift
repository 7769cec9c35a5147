import GatehouseWire

/// Unity Authentication: saved pages of `GET /player-identity/v1/projects/{project}/users`.
struct UnitySource: ImportSource {
    init(_ options: ConversionOptions) {}

    func form(of start: FileStart) -> ImportForm? {
        guard let users = start.elements(of: "results"), users.isEmpty || users.contains(where: { $0.has("id") }) else {
            return nil
        }
        return ImportForm(name: "Unity, pages of its Admin API", framing: .list("results", nextPage: "next"))
    }

    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem) {
        let user = try record.object()
        try draft.setID(try user.text("id"), at: "id")
        draft.registrationDate = try user.date("createdAt", zoneMinutes: 0)
        draft.lastLoginDate = try user.date("lastLoginAt", zoneMinutes: 0)
        if try user.flag("disabled") { draft.add(ImportedBan(.permanent)) }
        for identity in try user.objects("externalIds") ?? [] {
            guard let provider = try identity.text("providerId"), let subject = try identity.text("externalId") else {
                throw RecordProblem(.missing, at: identity.path, "an identity has a providerId and an externalId")
            }
            try add(provider, subject, at: identity.path, to: &draft)
            draft.ignoreOthers(in: identity, than: ["providerId", "externalId"])
        }
        for name in ["username", "usernamepassword"] where user.value(name) != nil {
            draft.drop(.password, isWayIn: true)
        }
        draft.ignoreOthers(
            in: user,
            than: ["id", "disabled", "externalIds", "createdAt", "lastLoginAt", "username", "usernamepassword"])
    }

    private func add(
        _ provider: String, _ subject: String, at path: String, to draft: inout MemberDraft
    ) throws(RecordProblem) {
        switch provider {
        case "apple-game-center":
            let kind = SubjectForm.gameCenterKind(of: subject)
            try draft.add(
                ImportedIdentity(provider: SubjectForm.Name.gameCenter, subject: subject, kind: kind), at: path)
        case "google-play-games":
            draft.addUnmatched(provider: SubjectForm.Name.playGames, subject: subject, code: "notMatchable")
        default: try draft.add(ImportedIdentity(provider: provider, subject: subject), at: path)
        }
    }
}
