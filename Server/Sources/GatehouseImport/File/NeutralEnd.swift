package import GatehouseJSON

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
