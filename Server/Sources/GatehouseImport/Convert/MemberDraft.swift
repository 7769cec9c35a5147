import GatehouseJSON

/// A member in the making, from one record of another system.
struct MemberDraft {
    /// Why a record of the old system is no player that can come along.
    enum Skip: String, Sendable, CaseIterable {
        /// The player was deleted in the old system.
        case deleted
        /// The player has withdrawn.
        case withdrawn
        /// The old system has no such player any more.
        case gone
        /// The record belongs to the old system itself.
        case systemUser
        /// The same record stands before it.
        case doubled

        var message: String {
            switch self {
            case .deleted: "the player was deleted in the old system"
            case .withdrawn: "the player has withdrawn"
            case .gone: "the old system has no such player any more"
            case .systemUser: "it is the old system's own user"
            case .doubled: "the same record stands before it"
            }
        }
    }

    private(set) var member = ImportedMember(legacyID: "")
    var skip: Skip?
    private(set) var dropped: [DroppedValue] = []
    /// The names of members that are not known, and were left out.
    private(set) var ignored: [String] = []
    /// The identities that can't be matched by a file, with the reason.
    private var unmatched: [(provider: String, subject: String, code: String)] = []
    var unmatchedProviders: [String] { unmatched.map(\.provider) }
    /// The old system's word for the player's standing, where several files tell of it.
    var standing: String?
    private var extra: [(name: String, value: StrictJSON.Value)] = []
    /// Whether the player had a way in that does not come along.
    private var hasLostWay = false

    var registrationDate: Int64? {
        get { member.registrationDate }
        set { member.registrationDate = newValue }
    }
    var lastLoginDate: Int64? {
        get { member.lastLoginDate }
        set { member.lastLoginDate = newValue }
    }
    var validSinceDate: Int64? {
        get { member.validSinceDate }
        set { member.validSinceDate = newValue }
    }
    var gracePeriodDate: Int64? {
        get { member.gracePeriodDate }
        set { member.gracePeriodDate = newValue }
    }

    /// The latest date that is known of the player.
    var latestDate: Int64? { [member.registrationDate, member.lastLoginDate].compactMap(\.self).max() }

    mutating func setID(_ id: String?, at path: String) throws(RecordProblem) {
        guard let id else { throw RecordProblem(.missing, at: path, "it is missing") }
        try RecordObject.check(id, at: path, atMost: ImportLimits.idLength)
        member.legacyID = id
    }

    /// Keeps the old id as the new one, which is checked when the record is complete.
    mutating func keepID() { if ImportedMember.isUserID(member.legacyID) { member.userID = member.legacyID } }

    mutating func add(_ identity: ImportedIdentity, at path: String) throws(RecordProblem) {
        try RecordObject.check(identity.provider, at: "\(path).provider", atMost: ImportLimits.idLength)
        try RecordObject.check(identity.subject, at: "\(path).subject", atMost: ImportLimits.idLength)
        if let issuer = identity.issuer {
            try RecordObject.check(issuer, at: "\(path).issuer", atMost: ImportLimits.idLength)
        }
        let isKnown = member.identities.contains {
            $0.provider.isExactly(identity.provider) && $0.subject.isExactly(identity.subject)
        }
        if !isKnown { member.identities.append(identity) }
    }

    /// Notes an identity that no file can match, such as Firebase's of Game Center. The player had this way in.
    mutating func addUnmatched(provider: String, subject: String, code: String) {
        unmatched.append((provider, subject, code))
        hasLostWay = true
    }

    /// Takes back the unmatched identities of a code, of which another file says more.
    mutating func removeUnmatched(code: String) { unmatched.removeAll { $0.code == code } }

    mutating func removeBans() { member.bans = [] }

    mutating func add(_ kind: ImportedDevice.Kind, _ id: String, at path: String) throws(RecordProblem) {
        try RecordObject.check(id, at: path, atMost: ImportLimits.idLength)
        let device = ImportedDevice(kind, .plain(id))
        if !member.devices.contains(device) { member.devices.append(device) }
    }

    mutating func add(_ ban: ImportedBan) {
        var ban = ban
        if let reason = ban.reason {
            let visible = reason.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }
            let text = String(String.UnicodeScalarView(visible.prefix(ImportLimits.reasonLength)))
            ban.reason = text.isEmpty ? nil : text
        }
        if !member.bans.contains(ban) { member.bans.append(ban) }
    }

    mutating func lose(_ loss: ImportedMember.Loss) { if !member.lost.contains(loss) { member.lost.append(loss) } }

    /// Takes a loss back, of which another file says more.
    mutating func unlose(_ loss: ImportedMember.Loss) { member.lost.removeAll { $0 == loss } }

    /// Keeps a value of the old system as it is, for the game's own server.
    mutating func keep(_ name: String, _ value: StrictJSON.Value?) {
        if let value { extra.append((name, value)) }
    }

    /// - Parameter isWayIn: whether the player could log in with it.
    mutating func drop(_ value: DroppedValue, isWayIn: Bool = false) {
        dropped.append(value)
        if isWayIn { hasLostWay = true }
    }

    mutating func loseWay() { hasLostWay = true }

    /// Counts what a source does not know.
    mutating func ignoreOthers(in object: SourceObject, than names: Set<String>) {
        ignored += object.names.filter { !names.contains($0) }
    }

    /// Concludes the record: what has an identity is active, and what has lost its ways in is unreachable.
    mutating func finish() throws(RecordProblem) {
        if !unmatched.isEmpty {
            let values = unmatched.map { provider, subject, code in
                StrictJSON.Value.object([
                    ("provider", .string(provider)), ("subject", .string(subject)), ("code", .string(code)),
                ])
            }
            extra.append(("identities", .array(values)))
        }
        member.extra = extra.isEmpty ? nil : .object(extra)
        let hasWay = !member.identities.isEmpty || !member.devices.isEmpty
        member.status =
            if member.gracePeriodDate != nil {
                .withdrawn
            } else if !member.identities.isEmpty {
                .active
            } else {
                hasLostWay && !hasWay ? .unreachable : .guest
            }
        try member.check()
    }
}
