import Crypto
import GatehouseJSON
import GatehousePlatform

/// How another system takes members: what a file of theirs is made of, and an entry for a member.
package struct ExportTarget: Sendable {
    /// The beginning of the files' names, before their numbers.
    let name: String
    let suffix: String
    /// What stands before the first entry of a file, between two, and after the last.
    let begin: String
    let separator: String
    let end: String
    /// How many entries and bytes a file has at most.
    let entries: Int
    let bytes: Int
    /// Files that the target needs beside those of the members.
    var companions: [(name: String, text: String)] = []
    /// What the target never takes.
    package let never: [String]
    /// The entry of a member.
    let entry: @Sendable (ExportedPlayer, _ totals: inout ExportTotals) -> [UInt8]

    /// What no target takes.
    static let neverAnywhere = [
        "Sessions: every player logs in again.",
        "Secrets: client secrets, tokens of providers, keys, transfer accounts and hashes of passwords are never exported.",
        "E-mail addresses, names and pictures: Gatehouse has none but what providers have told, which is not exported.",
        "Operators' notes, refusals of calls, and the history of members (for the neutral files: --with-history).",
    ]
}

/// The systems for which an app's members can be exported.
package enum ExportFormat: String, Sendable, CaseIterable {
    /// The neutral files, which `gatehouse import members` reads.
    case gatehouse
    case firebase, auth0, kratos
    case supabase = "supabase-sql"
    case nakama

    /// How the files of another system look; nil for the neutral files.
    package var target: ExportTarget? {
        switch self {
        case .gatehouse: return nil
        case .firebase: return .firebase
        case .auth0: return .auth0
        case .kratos: return .kratos
        case .supabase: return .supabase
        case .nakama: return .nakama
        }
    }

    /// What files of this format never have.
    package var never: [String] { target?.never ?? ExportTarget.neverAnywhere }

    /// How the names of all files of exports begin and end; between them is a number, or nothing.
    package static let fileNames: [(beginning: String, suffix: String)] =
        [("members-", ".jsonl"), ("ledger-", ".jsonl")]
        + allCases.compactMap(\.target).flatMap { target in
            [("\(target.name)-", target.suffix)] + target.companions.map { ($0.name, "") }
        }
}

/// A member as the entries of other systems are made of it, as of the moment of the export.
package struct ExportedPlayer {
    let member: ImportedMember
    /// The member's user id here.
    let id: String
    /// A ban in effect; of several, the one that ends last.
    let ban: ImportedBan?
    private let takenDate: Int64

    init(_ member: ImportedMember, at takenDate: Int64) {
        self.member = member
        self.takenDate = takenDate
        id = member.userID ?? member.legacyID
        ban = member.bans.filter { $0.endDate.map { $0 > takenDate } ?? true }
            .max { ($0.endDate ?? .max) < ($1.endDate ?? .max) }
    }

    /// The member's id where ids are UUIDs: version 5 (RFC 9562) in the namespace of URLs, of `urn:gatehouse:player:` and the user id.
    var uuid: String { Self.uuid(of: "urn:gatehouse:player:\(id)") }

    static func uuid(of name: String) -> String {
        let urls: [UInt8] = [
            0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
        ]
        var bytes = Array(Insecure.SHA1.hash(data: urls + Array(name.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array(bytes.hexadecimal.utf8)
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// The identities that the target has, by its own names.
    ///
    /// - Parameter name: the target's name of a provider; nil if it has none.
    func identities(
        _ totals: inout ExportTotals, _ name: (ImportedIdentity) -> String?
    ) -> [(provider: String, identity: ImportedIdentity)] {
        member.identities.compactMap { identity in
            guard let provider = name(identity) else {
                totals.lose(.providers)
                return nil
            }
            return (provider, identity)
        }
    }

    /// Counts what a target without ends of bans, withdrawals and guests loses.
    func countLosses(_ totals: inout ExportTotals, keepsBanEnds: Bool = false) {
        if member.status == .guest || member.status == .withdrawn && member.identities.isEmpty { totals.lose(.guests) }
        if member.gracePeriodDate != nil { totals.lose(.withdrawals) }
        if let ban, ban.endDate != nil, !keepsBanEnds { totals.lose(.banEnds) }
        totals.lose(.pastBans, member.bans.count { $0.endDate.map { $0 <= takenDate } ?? false })
    }

    /// What the target keeps for the game's own server.
    var facts: StrictJSON.Value {
        var facts: [(name: String, value: StrictJSON.Value)] = [("userId", .string(id))]
        if let date = member.registrationDate { facts.append(("registrationDate", .integer(date))) }
        if let date = member.lastLoginDate { facts.append(("lastLoginDate", .integer(date))) }
        if !member.identities.isEmpty {
            let identities = member.identities.map { identity in
                StrictJSON.Value.object([
                    ("provider", .string(identity.provider)), ("subject", .string(identity.subject)),
                ])
            }
            facts.append(("identities", .array(identities)))
        }
        return .object(facts)
    }

    /// A time such as `2026-11-24T02:35:00Z`.
    static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    }
}
