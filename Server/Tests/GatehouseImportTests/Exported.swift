import GatehouseImport
import GatehouseWire

/// The files of an export, in memory.
final class Exported: ExportOutput {
    private(set) var files: [(name: String, bytes: [UInt8], records: Int)] = []

    func begin(_ name: String) throws { files.append((name, [], 0)) }
    func write(_ bytes: [UInt8]) throws { files[files.count - 1].bytes += bytes }
    func end(records: Int) throws { files[files.count - 1].records = records }

    func text(_ name: String) -> String {
        String(decoding: files.first { $0.name == name }?.bytes ?? [], as: UTF8.self)
    }

    static let takenDate: Int64 = 1_790_000_000_000

    /// - Parameter membersPerFile: how many members a neutral file has at most.
    static func export(
        _ members: [ImportedMember], as format: ExportFormat, membersPerFile: Int = 100_000
    ) throws -> (output: Exported, totals: ExportTotals) {
        let output = Exported()
        let header = NeutralHeader(
            source: "game", sourceKind: "openid", takenDate: takenDate, from: [("app", "game")])
        var exporter = try MemberExporter(format, header: header, output: output, membersPerFile: membersPerFile)
        for member in members { try exporter.add(member) }
        try exporter.finish()
        return (output, exporter.totals)
    }

    /// Members of every kind, with ids that break what is not quoted.
    static var members: [ImportedMember] {
        var guest = member("AAAABBBBCCCCDDD1", .guest)
        guest.lastLoginDate = nil
        var person = member("AAAABBBBCCCCDDD7", .active)
        person.identities = [
            ImportedIdentity(
                provider: "google.com", subject: "113456789012345678901", registrationDate: 1_704_067_200_123),
            ImportedIdentity(
                provider: "studio", subject: #"O'Hara"); DROP TABLE auth.users; --\ é한👩‍🚀 $1 :x"#,
                issuer: "https://id.studio.example/'\"", namespace: "team"),
            ImportedIdentity(provider: "gc.apple.com", subject: "T:_0123456789", kind: "team"),
            ImportedIdentity(provider: "naver", subject: "naver-1"),
        ]
        person.bans = [
            ImportedBan(.temporary, beginDate: 1_704_067_200_000, endDate: 1_704_153_600_000, reason: "spam"),
            ImportedBan(.temporary, beginDate: 1_780_000_000_000, endDate: 1_800_000_000_000, reason: "'cheats'"),
        ]
        var banned = member("AAAABBBBCCCCDDD3", .active)
        banned.identities = [
            ImportedIdentity(provider: "facebook.com", subject: "10223344556677889"),
            // No text of these is taken: a line break, a NUL, and one that is too long.
            ImportedIdentity(provider: "twitter.com", subject: "1\n2"),
            ImportedIdentity(provider: "apple.com", subject: "1\u{0}2"),
            ImportedIdentity(provider: "line.me", subject: String(repeating: "U", count: 257)),
        ]
        banned.bans = [ImportedBan(.permanent, beginDate: 1_780_000_000_000)]
        var leaving = member("AAAABBBBCCCCDDD4", .withdrawn)
        leaving.gracePeriodDate = 1_790_100_000_000
        leaving.identities = [ImportedIdentity(provider: "twitter.com", subject: "42")]
        return [guest, person, banned, leaving]
    }

    private static func member(_ id: String, _ status: ImportedMember.Status) -> ImportedMember {
        var member = ImportedMember(legacyID: id, status: status)
        member.userID = id
        member.registrationDate = 1_704_067_200_000
        member.lastLoginDate = 1_767_225_600_000
        return member
    }
}
