package import GatehouseJSON

/// The first line of a neutral file: its format, and where its players come from.
package struct NeutralHeader: Equatable, Sendable {
    package static let format = "gatehouse.members/1"
    package static let names = ["format", "source", "sourceKind", "takenDate", "from"]
    /// How many facts `from` may have.
    package static let facts = 16

    /// The operator's name for the old system.
    package var source: String
    package var sourceKind: String
    /// When the old system's file was made.
    package var takenDate: Int64?
    /// The old system's own ids of what was exported, such as its project, by name.
    package var from: [(name: String, value: String)] = []

    package init(
        source: String, sourceKind: String, takenDate: Int64? = nil, from: [(name: String, value: String)] = []
    ) {
        self.source = source
        self.sourceKind = sourceKind
        self.takenDate = takenDate
        self.from = from
    }

    init(_ value: StrictJSON.Value) throws(RecordProblem) {
        let object = try RecordObject(value)
        guard try object.text("format") == Self.format else {
            throw RecordProblem(.unknownValue, at: "format", "the first line must say the format \(Self.format)")
        }
        try object.refuseOthers(than: Self.names)
        source = try object.need(try object.text("source"), "source")
        sourceKind = try object.need(try object.text("sourceKind"), "sourceKind")
        takenDate = try object.date("takenDate")
        guard let origin = object.value("from") else { return }
        let facts = try RecordObject(origin, at: "from")
        guard facts.members.count <= Self.facts else {
            throw RecordProblem(.tooMany, at: "from", "it has more than \(Self.facts) facts")
        }
        for fact in facts.members {
            try RecordObject.check(fact.name, at: "from", atMost: ImportLimits.idLength)
            from.append((fact.name, try facts.need(try facts.text(fact.name), fact.name)))
        }
    }

    /// Refuses what no reader would take.
    package func check() throws(RecordProblem) {
        var text = JSONBytes()
        write(to: &text)
        guard let value = try? StrictJSON.parse(text.bytes) else {
            throw RecordProblem(.badJSON, "it can't be written as JSON")
        }
        _ = try NeutralHeader(value)
    }

    package static func == (one: NeutralHeader, other: NeutralHeader) -> Bool {
        one.source == other.source && one.sourceKind == other.sourceKind && one.takenDate == other.takenDate
            && one.from.elementsEqual(other.from) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension NeutralHeader: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object {
            $0.member("format", Self.format)
            $0.member("source", source)
            $0.member("sourceKind", sourceKind)
            $0.member("takenDate", takenDate)
            if !from.isEmpty { $0.member("from", Facts(facts: from)) }
        }
    }

    private struct Facts: JSONWritable {
        let facts: [(name: String, value: String)]

        func write(to text: inout JSONBytes) {
            text.object { text in
                for (index, fact) in facts.enumerated() {
                    if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
                    text.write(fact.name)
                    text.bytes.append(UInt8(ascii: ":"))
                    text.write(fact.value)
                }
            }
        }
    }
}

/// The last line of a neutral file: what it must contain, so that a cut or changed file is noticed.
package struct NeutralEnd: Equatable, Sendable {
    package static let names = ["end", "members", "identities", "devices", "bans", "sha256"]

    package var members: Int64 = 0
    package var identities: Int64 = 0
    package var devices: Int64 = 0
    package var bans: Int64 = 0
    /// The SHA-256 of all bytes before this line, with their line breaks, in 64 hexadecimal digits.
    package var sha256 = ""

    package init() {}

    init(_ value: StrictJSON.Value) throws(RecordProblem) {
        let object = try RecordObject(value)
        try object.refuseOthers(than: Self.names)
        guard object.value("end") == .bool(true) else {
            throw RecordProblem(.unknownValue, at: "end", "the last line must say \"end\":true")
        }
        members = try Self.count(object, "members")
        identities = try Self.count(object, "identities")
        devices = try Self.count(object, "devices")
        bans = try Self.count(object, "bans")
        sha256 = try object.need(try object.text("sha256"), "sha256")
    }

    private static func count(_ object: RecordObject, _ name: String) throws(RecordProblem) -> Int64 {
        guard let count = try object.need(object.value(name), name).integer, count >= 0 else {
            throw RecordProblem(.badType, at: name, "it must be a count")
        }
        return count
    }

    mutating func add(_ member: ImportedMember) {
        members += 1
        identities += Int64(member.identities.count)
        devices += Int64(member.devices.count)
        bans += Int64(member.bans.count)
    }
}

extension NeutralEnd: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object {
            $0.member("end", true)
            $0.member("members", members)
            $0.member("identities", identities)
            $0.member("devices", devices)
            $0.member("bans", bans)
            $0.member("sha256", sha256)
        }
    }
}
