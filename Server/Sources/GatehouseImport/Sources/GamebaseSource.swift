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

/// The columns of the table that Gamebase's console downloads. Their names are not published, so the operator says which is which.
struct GamebaseColumns {
    /// What a column may hold.
    enum Field: String, CaseIterable {
        case userID = "userId"
        case registrationDate, lastLoginDate
        /// Gamebase's letter for the member's standing: Y, B, T, P, D or M.
        case valid
        /// The code of the identity provider.
        case provider = "idPCode"
        /// The provider's own id of the player.
        case subject = "idPId"
        /// The id of a guest's device.
        case guestID = "guestId"
    }

    private let columns: [Field: String]

    init(_ columns: [String: String]) throws(ConversionFailure) {
        var named: [Field: String] = [:]
        for (name, column) in columns {
            guard let field = Field(rawValue: name) else {
                let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
                throw ConversionFailure(.badOption, "--columns knows no \(name), but \(known)")
            }
            named[field] = column
        }
        guard named[.userID] != nil else {
            throw ConversionFailure(
                .badOption,
                "--columns must say where a member's id is, such as --columns userId=USER_ID,registrationDate=3")
        }
        guard (named[.provider] == nil) == (named[.subject] == nil) else {
            throw ConversionFailure(.badOption, "--columns has both idPCode and idPId, or none of them")
        }
        self.columns = named
    }

    /// The names of a table's columns as fields, by their places; nil if the table has none of them.
    ///
    /// - Parameter first: the first row of the table.
    func names(in first: [String]) -> [String]? {
        var names = Array(repeating: "", count: first.count)
        for (field, column) in columns {
            let index =
                Int(column).map { max($0, 0) - 1 }
                ?? first.firstIndex { $0.trimmingWhitespace().isExactly(column) }
            guard let index, names.indices.contains(index), names[index].isEmpty else { return nil }
            names[index] = field.rawValue
        }
        return names
    }
}

/// What the answers of Gamebase's Server API say of one member.
///
/// They are those of `GET members/{userId}` (`member`), `POST members` (`memberList`), `POST auth/authKeys` (`result` by user id), the lists of
/// bans and of released bans (`result` as a list), and `POST idps/{idPCode}/members` (`result` by the provider's id), to whose line
/// `"idPCode"` is added, because the answer does not say it.
struct GamebaseDetails {
    private enum Answer {
        case member(SourceObject)
        case members([SourceObject])
        case bans([SourceObject])
        /// The provider's ids with their user ids.
        case subjects(String, SourceObject)
        /// The user ids with their lists of keys.
        case keys(SourceObject)
    }

    private let authKeysAreSubjects: Set<String>
    private var keys: [(provider: String, key: String)] = []

    init(authKeysAreSubjects: Set<String>) { self.authKeysAreSubjects = authKeysAreSubjects }

    static func isAnswer(_ object: SourceObject) -> Bool {
        object.has("header") && ["member", "memberList", "result"].contains(where: object.has)
    }

    private static func answer(_ line: SourceObject) throws(RecordProblem) -> Answer {
        if let member = try line.object("member") { return .member(member) }
        if let members = try line.objects("memberList") { return .members(members) }
        if case .array? = line.value("result") { return .bans(try line.objects("result") ?? []) }
        guard let result = try line.object("result") else {
            throw RecordProblem(.missing, "it has neither member, memberList nor result")
        }
        if let provider = try line.text("idPCode") { return .subjects(provider, result) }
        guard result.members.allSatisfy({ if case .array = $0.value { true } else { false } }) else {
            throw RecordProblem(
                .missing, at: "idPCode", "an answer about the ids of a provider needs the provider's code beside it")
        }
        return .keys(result)
    }

    static func players(of line: SourceObject) throws(RecordProblem) -> [String] {
        switch try answer(line) {
        case .member(let member): return [try id(of: member)]
        case .members(let members): return try ids(of: members)
        case .bans(let bans): return try ids(of: bans)
        case .keys(let result): return result.names
        case .subjects(_, let result):
            var ids: [String] = []
            for name in result.names {
                if let id = try result.text(name), !ids.contains(id) { ids.append(id) }
            }
            return ids
        }
    }

    private static func ids(of objects: [SourceObject]) throws(RecordProblem) -> [String] {
        var ids: [String] = []
        for object in objects {
            let id = try id(of: object)
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    private static func id(of object: SourceObject) throws(RecordProblem) -> String {
        guard let id = try object.text("userId") else {
            throw RecordProblem(.missing, at: object.place("userId"), "it is missing")
        }
        return id
    }

    mutating func read(_ line: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        let id = draft.member.legacyID
        switch try Self.answer(line) {
        case .member(let member):
            try Self.read(member, to: &draft)
            // It stands beside the member, and in the answer about a token inside it.
            for place in [line, member] {
                guard let grace = try place.object("temporaryWithdrawal") else { continue }
                draft.gracePeriodDate = try grace.date("gracePeriodDate")
            }
            for auth in try member.objects("authList") ?? [] { try readKey(auth) }
        case .members(let members):
            for member in members where try member.text("userId")?.isExactly(id) == true {
                try Self.read(member, to: &draft)
            }
        case .bans(let bans):
            for ban in bans where try ban.text("userId")?.isExactly(id) == true { try Self.add(ban, to: &draft) }
        case .keys(let result): for auth in try result.objects(id) ?? [] { try readKey(auth) }
        case .subjects(let provider, let result):
            for subject in result.names where try result.text(subject)?.isExactly(id) == true {
                try GamebaseSource.add(provider, subject, date: nil, at: result.path, to: &draft)
            }
        }
    }

    private static func read(_ member: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        if let valid = try member.text("valid") { draft.standing = valid }
        if let date = try member.date("regDate") { draft.registrationDate = date }
        if let date = try member.date("lastLoginDate") { draft.lastLoginDate = date }
    }

    private mutating func readKey(_ auth: SourceObject) throws(RecordProblem) {
        guard let provider = try auth.text("idPCode"), let key = try auth.text("authKey") else {
            throw RecordProblem(.missing, at: auth.path, "it has an idPCode and an authKey")
        }
        if !keys.contains(where: { $0.provider == provider && $0.key.isExactly(key) }) { keys.append((provider, key)) }
    }

    private static func add(_ ban: SourceObject, to draft: inout MemberDraft) throws(RecordProblem) {
        let (begin, reason) = (try ban.date("beginDate"), try ban.text("banReason"))
        if let released = try ban.date("releaseDate") {
            // A ban that is over is history, whatever its type was.
            guard begin != nil else { return draft.drop(.endedBan) }
            return draft.add(ImportedBan(.temporary, beginDate: begin, endDate: released, reason: reason))
        }
        switch (try ban.text("banType"), try ban.date("endDate")) {
        case ("PERMANENT", _): draft.add(ImportedBan(.permanent, beginDate: begin, reason: reason))
        case ("TEMPORARY", let end?):
            draft.add(ImportedBan(.temporary, beginDate: begin, endDate: end, reason: reason))
        case ("TEMPORARY", nil): throw RecordProblem(.missing, at: ban.place("endDate"), "a temporary ban has an end")
        default: throw RecordProblem(.unknownValue, at: ban.place("banType"), "it must be TEMPORARY or PERMANENT")
        }
    }

    /// Takes the keys of providers whose own id no file has said: as subjects if the operator has tried that they are, or as a loss.
    func finish(_ draft: inout MemberDraft) throws(RecordProblem) {
        for (provider, key) in keys {
            if authKeysAreSubjects.contains(provider) {
                try GamebaseSource.add(provider, key, date: nil, at: "authList", to: &draft)
                continue
            }
            let name = GamebaseSource.neutralName(of: provider)
            guard provider != "guest", !draft.member.identities.contains(where: { $0.provider == name }) else {
                continue
            }
            draft.addUnmatched(provider: name, subject: key, code: "authKeyOnly")
            draft.lose(.identities)
        }
    }
}
