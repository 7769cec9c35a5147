import GatehouseJSON
import GatehousePlatform
import GatehouseWire

extension ImportedMember {
    /// Reads a line of a neutral file, without its line break.
    package init(line: some Collection<UInt8>) throws(RecordProblem) {
        guard line.count <= ImportLimits.lineBytes else {
            throw RecordProblem(.tooLong, "the line has more than \(ImportLimits.lineBytes) bytes")
        }
        let value: StrictJSON.Value
        do {
            value = try StrictJSON.parse(line)
        } catch {
            throw RecordProblem(.badJSON, "\(error.reason), at byte \(error.offset)")
        }
        try self.init(value)
    }

    init(_ value: StrictJSON.Value) throws(RecordProblem) {
        let object = try RecordObject(value)
        try object.refuseOthers(than: Self.names)
        self.init(
            legacyID: try object.need(try object.text("legacyId"), "legacyId"),
            status: try object.need(try object.word("status", as: Status.self), "status"))
        registrationDate = try object.date("registrationDate")
        lastLoginDate = try object.date("lastLoginDate")
        validSinceDate = try object.date("validSinceDate")
        for part in try object.objects("identities", atMost: ImportLimits.identities) {
            identities.append(try ImportedIdentity(part))
        }
        for part in try object.objects("devices", atMost: ImportLimits.devices) {
            devices.append(try ImportedDevice(part))
        }
        for part in try object.objects("bans", atMost: ImportLimits.bans) { bans.append(try ImportedBan(part)) }
        if let withdrawal = object.value("withdrawal") {
            let part = try RecordObject(withdrawal, at: "withdrawal")
            try part.refuseOthers(than: ["gracePeriodDate"])
            gracePeriodDate = try part.need(try part.date("gracePeriodDate"), "gracePeriodDate")
        }
        userID = try object.text("userId")
        try readLost(object)
        if let extra = object.value("extra") {
            _ = try RecordObject(extra, at: "extra")
            self.extra = extra
        }
        try check()
    }

    private mutating func readLost(_ object: RecordObject) throws(RecordProblem) {
        for (index, value) in try object.list("lost", atMost: Loss.allCases.count).enumerated() {
            guard let loss = value.string.flatMap(Loss.init), !lost.contains(loss) else {
                throw RecordProblem(
                    .unknownValue, at: "lost[\(index)]", "it is none of the known words, or stands twice")
            }
            lost.append(loss)
        }
    }

    /// Refuses a record that is beyond the limits or contradicts itself. Records that are written pass it, too.
    func check() throws(RecordProblem) {
        for (name, count, limit) in [
            ("identities", identities.count, ImportLimits.identities), ("devices", devices.count, ImportLimits.devices),
            ("bans", bans.count, ImportLimits.bans),
        ] where count > limit {
            throw RecordProblem(.tooMany, at: name, "it has more than \(limit) elements")
        }
        guard (status == .withdrawn) == (gracePeriodDate != nil) else {
            throw RecordProblem(.inconsistent, at: "withdrawal", "the status withdrawn and a withdrawal go together")
        }
        if status == .active, identities.isEmpty {
            throw RecordProblem(.inconsistent, at: "status", "an active member has an identity")
        }
        if let userID, !Self.isUserID(userID) {
            throw RecordProblem(.badID, at: "userId", "it is no user id of Gatehouse's form")
        }
    }

    /// Whether a text has the form of Gatehouse's and Gamebase's user ids.
    package static func isUserID(_ text: String) -> Bool {
        text.utf8.count == UserID.length && text.utf8.allSatisfy(UserID.alphabet.utf8.contains)
    }
}

extension ImportedIdentity {
    package static let names = ["provider", "subject", "kind", "issuer", "namespace", "registrationDate"]

    init(_ object: RecordObject) throws(RecordProblem) {
        try object.refuseOthers(than: Self.names)
        self.init(
            provider: try object.need(try object.text("provider"), "provider"),
            subject: try object.need(try object.text("subject"), "subject"), kind: try object.text("kind"),
            issuer: try object.text("issuer"), namespace: try object.text("namespace"),
            registrationDate: try object.date("registrationDate"))
    }
}

extension ImportedDevice {
    package static let names = ["kind", "value", "sha256"]

    init(_ object: RecordObject) throws(RecordProblem) {
        try object.refuseOthers(than: Self.names)
        let kind = try object.need(try object.word("kind", as: Kind.self), "kind")
        let (plain, hash) = (try object.text("value"), try object.text("sha256"))
        switch (plain, hash) {
        case (let plain?, nil): self.init(kind, .plain(plain))
        case (nil, let hash?):
            guard hash.utf8.count == 64, hash.utf8.allSatisfy({ ASCII.isDigit($0) || (0x61...0x66).contains($0) })
            else {
                throw RecordProblem(.badID, at: object.place("sha256"), "it must be 64 small hexadecimal digits")
            }
            self.init(kind, .sha256(hash))
        default: throw RecordProblem(.missing, at: object.path, "a device has either value or sha256")
        }
    }
}

extension ImportedBan {
    package static let names = ["type", "beginDate", "endDate", "reason"]

    init(_ object: RecordObject) throws(RecordProblem) {
        try object.refuseOthers(than: Self.names)
        let type = BanType(rawValue: try object.need(try object.text("type"), "type"))
        guard [.temporary, .permanent].contains(type) else {
            throw RecordProblem(.unknownValue, at: object.place("type"), "it is none of the known words")
        }
        self.init(
            type, beginDate: try object.date("beginDate"), endDate: try object.date("endDate"),
            reason: try object.text("reason", atMost: ImportLimits.reasonLength))
        guard (type == .temporary) == (endDate != nil) else {
            throw RecordProblem(
                .inconsistent, at: object.place("endDate"), "a temporary ban has an end, and a permanent one has none")
        }
    }
}
