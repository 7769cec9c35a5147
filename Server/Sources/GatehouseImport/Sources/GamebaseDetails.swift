import GatehouseJSON
import GatehouseWire

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
