import GatehouseJSON
import GatehousePlatform
import GatehouseWire

/// NHN Gamebase: the table that its console downloads, and JSON lines of its Server API's answers.
struct GamebaseSource: ImportSource {
    private let options: ConversionOptions
    private let columns: GamebaseColumns

    init(_ options: ConversionOptions) throws(ConversionFailure) {
        self.options = options
        columns = try GamebaseColumns(options.columns)
    }

    func form(of start: FileStart) throws(ConversionFailure) -> ImportForm? {
        if start.objects.contains(where: GamebaseDetails.isAnswer) {
            return ImportForm(name: "Gamebase, JSON lines of its Server API", framing: .lines, hasPlayers: false)
        }
        guard let row = start.row(separator: UInt8(ascii: ",")), let names = columns.names(in: row) else { return nil }
        let id = names.firstIndex(of: GamebaseColumns.Field.userID.rawValue) ?? 0
        let framing = ImportForm.Framing.table(
            separator: UInt8(ascii: ","), columns: row.count, hasHeader: !ImportedMember.isUserID(row[id]))
        return ImportForm(name: "Gamebase, table of its console", framing: framing, columns: names)
    }

    func convert(_ record: SourceRecord, in form: ImportForm, to draft: inout MemberDraft) throws(RecordProblem) {
        let row = try record.row()
        func text(_ field: GamebaseColumns.Field) -> String? {
            guard let column = form.columns.firstIndex(of: field.rawValue), column < row.count else { return nil }
            let text = row[column].trimmingWhitespace()
            return text.isEmpty ? nil : text
        }
        func date(_ field: GamebaseColumns.Field) throws(RecordProblem) -> Int64? {
            guard let text = text(field) else { return nil }
            if let milliseconds = Int64(text), (0...ImportLimits.lastDate).contains(milliseconds) {
                return milliseconds
            }
            return try SourceDate.read(text, zoneMinutes: options.zoneMinutes, at: field.rawValue)
        }
        try draft.setID(text(.userID), at: "userId")
        draft.keepID()
        draft.registrationDate = try date(.registrationDate)
        draft.lastLoginDate = try date(.lastLoginDate)
        draft.standing = text(.valid)
        if let provider = text(.provider), let subject = text(.subject) {
            try Self.add(provider, subject, date: nil, at: "idPId", to: &draft)
        }
        if let device = text(.guestID) { try draft.add(.guestID, device, at: "guestId") }
        if draft.standing == "D" { draft.skip = .withdrawn }
        if draft.standing == "M" { draft.skip = .gone }
    }

    private static let names = [
        Provider.google.rawValue: SubjectForm.Name.google, Provider.apple.rawValue: SubjectForm.Name.apple,
        Provider.facebook.rawValue: SubjectForm.Name.facebook, Provider.twitter.rawValue: SubjectForm.Name.twitter,
        Provider.gameCenter.rawValue: SubjectForm.Name.gameCenter, Provider.line.rawValue: SubjectForm.Name.line,
    ]

    /// Adds an identity whose subject is the provider's own.
    static func add(
        _ provider: String, _ subject: String, date: Int64?, at path: String, to draft: inout MemberDraft
    ) throws(RecordProblem) {
        guard provider != Provider.guest.rawValue else { return try draft.add(.guestID, subject, at: path) }
        let name = neutralName(of: provider)
        let kind = name == SubjectForm.Name.gameCenter ? SubjectForm.gameCenterKind(of: subject) : nil
        try draft.add(
            ImportedIdentity(provider: name, subject: subject, kind: kind, registrationDate: date), at: path)
    }

    static func neutralName(of provider: String) -> String { names[provider] ?? provider }

    func players(of detail: SourceObject) throws(RecordProblem) -> [String] { try GamebaseDetails.players(of: detail) }

    func complete(_ draft: inout MemberDraft, with details: [SourceObject]) throws(RecordProblem) {
        var found = GamebaseDetails(authKeysAreSubjects: options.authKeysAreSubjects)
        for detail in details { try found.read(detail, to: &draft) }
        try found.finish(&draft)
        switch draft.standing {
        case nil, "Y": break
        case "B":
            guard draft.member.bans.isEmpty else { break }
            // The member is banned, and no file says until when.
            draft.add(ImportedBan(.permanent))
            draft.lose(.bans)
        case "P": draft.keep("valid", .string("P"))
        case "T":
            guard draft.gracePeriodDate != nil else {
                throw RecordProblem(
                    .missing, at: "temporaryWithdrawal",
                    "its withdrawal is under way, and no line of the Server API says until when")
            }
        case "D": draft.skip = .withdrawn
        case "M": draft.skip = .gone
        default: throw RecordProblem(.unknownValue, at: "valid", "it must be Y, B, T, P, D or M")
        }
    }
}
