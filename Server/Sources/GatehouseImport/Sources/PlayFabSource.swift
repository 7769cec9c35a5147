import GatehouseJSON
import GatehousePlatform
import GatehouseWire

/// PlayFab: the parts of `ExportPlayersInSegment`, with or without their index, and JSON lines of `GetUserAccountInfo` and `GetUserBans`.
struct PlayFabSource: ImportSource {
    private let options: ConversionOptions

    init(_ options: ConversionOptions) { self.options = options }

    private static let partName = "PlayFab, part of a segment's export"

    func form(of start: FileStart) -> ImportForm? {
        if let columns = start.tabs, Set(columns).isSuperset(of: ["PlayerId", "LinkedAccounts"]) {
            return ImportForm(name: Self.partName, framing: .tabs(columns: columns.count), columns: columns)
        }
        if let parts = start.addresses {
            return ImportForm(
                name: "PlayFab, index of an export", framing: .none, hasPlayers: false, parts: parts.count)
        }
        guard start.objects.contains(where: { Self.data(of: $0) != nil }) else { return nil }
        return ImportForm(name: "PlayFab, JSON lines of its Admin API", framing: .lines, hasPlayers: false)
    }

    // MARK: Parts

    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem) {
        let row = try record.row()
        func text(_ name: String) -> String? {
            guard let column = form.columns.firstIndex(of: name), column < row.count, !row[column].isEmpty else {
                return nil
            }
            return row[column]
        }
        func date(_ name: String) throws(RecordProblem) -> Int64? {
            guard let text = text(name) else { return nil }
            return try SourceDate.read(text, zoneMinutes: 0, at: name)
        }
        try draft.setID(text("PlayerId"), at: "PlayerId")
        draft.registrationDate = try date("Created")
        draft.lastLoginDate = try date("LastLogin")
        if let end = try date("BannedUntil") {
            draft.add(.upTo(end, begin: nil, reference: options.takenDate ?? draft.latestDate))
        }
        if let accounts = text("LinkedAccounts") { try addAccounts(accounts, to: &draft) }
        if text("DisplayName") != nil { draft.drop(.name) }
        if text("AvatarUrl") != nil { draft.drop(.picture) }
        for (name, value) in [
            ("ContactEmailAddresses", DroppedValue.email), ("PlayerStatistics", .statistics),
            ("VirtualCurrencyBalances", .wallet), ("ValuesToDate", .statistics),
        ] where !["[]", "{}", "null", nil].contains(text(name)) {
            draft.drop(value)
        }
        if let tags = text("Tags"), !["[]", "{}", "null"].contains(tags) {
            draft.keep("tags", (try? StrictJSON.parse(Array(tags.utf8))) ?? .string(tags))
        }
    }

    private func addAccounts(_ text: String, to draft: inout MemberDraft) throws(RecordProblem) {
        guard let value = try? StrictJSON.parse(Array(text.utf8)) else {
            throw RecordProblem(.badJSON, at: "LinkedAccounts", "it must be a list in JSON")
        }
        for account in try SourceObject.objects(value, at: "LinkedAccounts") {
            guard let platform = try account.text("Platform") else {
                throw RecordProblem(.missing, at: account.place("Platform"), "it is missing")
            }
            if try account.text("Email") != nil { draft.drop(.email) }
            if try account.text("Username") != nil { draft.drop(.name) }
            guard let id = try account.text("PlatformUserId") else {
                draft.loseWay()
                continue
            }
            try add(platform, id, at: account.path, to: &draft)
        }
    }

    private func add(
        _ platform: String, _ id: String, at path: String, to draft: inout MemberDraft
    ) throws(RecordProblem) {
        switch platform {
        case "PlayFab": draft.drop(.password, isWayIn: true)
        case "Custom": try draft.add(.customID, id, at: path)
        case "IOSDevice", "AndroidDevice": try draft.add(.deviceID, id, at: path)
        case "GooglePlay" where !SubjectForm.fits(id, of: SubjectForm.Name.google), "GooglePlayGames":
            draft.addUnmatched(provider: SubjectForm.Name.playGames, subject: id, code: "notMatchable")
        case "OpenIdConnect":
            draft.addUnmatched(provider: platform, subject: id, code: Self.noIssuer)
            draft.lose(.identities)
        case "GameCenter":
            let kind = SubjectForm.gameCenterKind(of: id)
            try draft.add(ImportedIdentity(provider: SubjectForm.Name.gameCenter, subject: id, kind: kind), at: path)
        default: try draft.add(ImportedIdentity(provider: Self.names[platform] ?? platform, subject: id), at: path)
        }
    }

    private static let noIssuer = "noIssuer"
    private static let names = [
        "Apple": SubjectForm.Name.apple, "Facebook": SubjectForm.Name.facebook, "GooglePlay": SubjectForm.Name.google,
        "Steam": SubjectForm.Name.steam,
    ]

    // MARK: Details

    /// What an answer says, with or without the frame in which the API sends it.
    private static func data(of answer: SourceObject) -> SourceObject? {
        let data = (try? answer.object("data")) ?? answer
        return data.has("UserInfo") || data.has("BanData") ? data : nil
    }

    func players(of detail: SourceObject) throws(RecordProblem) -> [String] {
        guard let data = Self.data(of: detail) else {
            throw RecordProblem(.missing, "it has neither UserInfo nor BanData")
        }
        if let user = try data.object("UserInfo") {
            guard let id = try user.text("PlayFabId") else {
                throw RecordProblem(.missing, at: user.place("PlayFabId"), "it is missing")
            }
            return [id]
        }
        var ids: [String] = []
        for ban in try data.objects("BanData") ?? [] {
            guard let id = try ban.text("PlayFabId") else {
                throw RecordProblem(.missing, at: ban.place("PlayFabId"), "it is missing")
            }
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    func complete(_ draft: inout MemberDraft, with details: [SourceObject]) throws(RecordProblem) {
        var hasBans = false
        for case let data? in details.map(Self.data) {
            if let user = try data.object("UserInfo") { try addIdentities(of: user, to: &draft) }
            guard let bans = try data.objects("BanData") else { continue }
            // The list of bans says more than the table's date.
            if !hasBans { draft.removeBans() }
            hasBans = true
            for ban in bans where try ban.text("PlayFabId")?.isExactly(draft.member.legacyID) == true {
                try add(ban, to: &draft)
            }
        }
    }

    private func add(_ ban: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        let (begin, end) = (try ban.date("Created", zoneMinutes: 0), try ban.date("Expires", zoneMinutes: 0))
        let reason = try ban.text("Reason")
        guard try ban.flag("Active") else {
            // A ban that was revoked has its old end, of which only a date of the file tells whether it has come.
            guard let begin, let end, let taken = options.takenDate, end <= taken else { return draft.drop(.endedBan) }
            return draft.add(ImportedBan(.temporary, beginDate: begin, endDate: end, reason: reason))
        }
        guard let end else { return draft.add(ImportedBan(.permanent, beginDate: begin, reason: reason)) }
        draft.add(.upTo(end, begin: begin, reference: draft.latestDate, reason: reason))
    }

    private func addIdentities(of user: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        for (info, name, platform) in [
            ("AppleAccountInfo", "AppleSubjectId", "Apple"), ("GoogleInfo", "GoogleId", "GooglePlay"),
            ("GameCenterInfo", "GameCenterId", "GameCenter"), ("FacebookInfo", "FacebookId", "Facebook"),
            ("SteamInfo", "SteamId", "Steam"), ("IosDeviceInfo", "IosDeviceId", "IOSDevice"),
            ("AndroidDeviceInfo", "AndroidDeviceId", "AndroidDevice"), ("CustomIdInfo", "CustomId", "Custom"),
        ] {
            guard let part = try user.object(info), let id = try part.text(name) else { continue }
            try add(platform, id, at: part.place(name), to: &draft)
        }
        guard let connections = try user.objects("OpenIdInfo") else { return }
        draft.removeUnmatched(code: Self.noIssuer)
        for connection in connections {
            guard let id = try connection.text("ConnectionId"), let subject = try connection.text("Subject") else {
                throw RecordProblem(.missing, at: connection.path, "it has a ConnectionId and a Subject")
            }
            try draft.add(
                ImportedIdentity(provider: "oidc.\(id)", subject: subject, issuer: try connection.text("Issuer")),
                at: connection.path)
        }
        draft.unlose(.identities)
    }
}
