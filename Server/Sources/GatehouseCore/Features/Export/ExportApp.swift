package import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Writes all members of an app into files, for another server or another system. They are from one snapshot, which is read page by page.
/// The audit log tells that it has begun.
package struct ExportApp: Action {
    package static let permission = Permission.administer

    /// How many entries a file of the ledger has, and how many are read at once.
    private static let (entriesPerFile, entriesPerPage) = (100_000, 1_000)

    let format: ExportFormat
    let withHistory: Bool
    let membersPerFile: Int
    let open: @Sendable () throws -> any ExportOutput

    /// - Parameters:
    ///   - withHistory: whether the ledger is exported, too.
    ///   - membersPerFile: how many members a neutral file has at most.
    ///   - open: begins with empty files. It is called again if the database was lost and is read from the beginning.
    package init(
        _ format: ExportFormat, withHistory: Bool = false, membersPerFile: Int = MemberExporter.membersPerFile,
        to open: @escaping @Sendable () throws -> any ExportOutput
    ) {
        self.format = format
        self.withHistory = withHistory
        self.membersPerFile = membersPerFile
        self.open = open
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws -> ExportTotals {
        let (app, moment) = (work.app, work.moment)
        let format = format.rawValue
        _ = try await work.transact { change, tx in try change.record(.membersExported, ["format": format], in: tx) }
        return try await work.report { [self] tx in try write(app, at: moment, in: tx) }
    }

    private func write(_ app: App, at moment: Moment, in tx: Reader) throws -> ExportTotals {
        let output = try open()
        // The server is an OpenID issuer for the next one: guests come with its access tokens.
        let header = NeutralHeader(
            source: app.id.rawValue, sourceKind: LegacySourceKind.openid.rawValue, takenDate: moment.milliseconds,
            from: [("app", app.id.rawValue)])
        var exporter = try MemberExporter(format, header: header, output: output, membersPerFile: membersPerFile)
        var last: UserID?
        while true {
            let page = try ExportedPage(after: last, of: app, at: moment, in: tx)
            guard let end = page.last else { break }
            try page.write(to: &exporter)
            last = end
        }
        try exporter.finish()
        var totals = exporter.totals
        if withHistory { totals.ledgerEntries = try writeLedger(of: app.id, to: output, in: tx) }
        return totals
    }

    private func writeLedger(of app: AppID, to output: any ExportOutput, in tx: Reader) throws -> Int {
        var (count, records): (Int, Int) = (0, 0)
        var last: LedgerEntry?
        while true {
            let entries = try LedgerQueries.entries(of: app, after: last, limit: Self.entriesPerPage, in: tx)
            guard let end = entries.last else { break }
            if records == 0 {
                let number = String(count / Self.entriesPerFile + 1)
                let zeros = String(repeating: "0", count: max(0, 3 - number.utf8.count))
                try output.begin("ledger-\(zeros)\(number).jsonl")
            }
            try output.write(entries.flatMap { ExportedEntry(entry: $0).line })
            records += entries.count
            count += entries.count
            last = end
            if records >= Self.entriesPerFile {
                try output.end(records: records)
                records = 0
            }
        }
        if records > 0 { try output.end(records: records) }
        return count
    }
}

/// An entry of the ledger in an export. Who has acted is left out, because it is another person.
struct ExportedEntry: JSONWritable {
    let entry: LedgerEntry

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("entryId", entry.id)
            $0.member("userId", entry.user.rawValue)
            $0.member("event", entry.event.stored)
            $0.member("actor", entry.origin.actor.rawValue)
            $0.member("door", entry.origin.door.rawValue)
            $0.member("reason", entry.origin.reason)
            $0.member("details", encoded: entry.details.isEmpty ? nil : entry.details)
            $0.member("date", entry.date)
        }
    }

    /// The line of a file.
    var line: [UInt8] {
        var text = JSONBytes()
        write(to: &text)
        return text.bytes + [0x0a]
    }
}

/// The next members of an app, and the neutral records of them.
struct ExportedPage {
    /// How many members are read at once.
    static let size = 256

    private let members: [MemberQueries.Exported]
    private let identities: [UserID: [MemberQueries.ExportedIdentity]]
    private let bans: [UserID: [BanRecord]]
    private let legacy: [UserID: [LegacyMember]]
    private let app: App
    private let moment: Moment

    /// The last member of the page; nil after the last page.
    var last: UserID? { members.last?.user }

    init(after last: UserID?, of app: App, at moment: Moment, in tx: Reader) throws {
        self.app = app
        self.moment = moment
        members = try MemberQueries.exported(of: app.id, after: last, limit: Self.size, in: tx)
        guard let end = members.last?.user else {
            (identities, bans, legacy) = ([:], [:], [:])
            return
        }
        let users = UserRange(after: last, last: end)
        identities = Dictionary(
            grouping: try MemberQueries.exportedIdentities(of: users, app: app.id, in: tx), by: \.user
        ).mapValues { identities in identities.sorted { $0.provider.rawValue < $1.provider.rawValue } }
        bans = try BanRules.history(of: users, app: app.id, in: tx)
        legacy = try LegacyRules.members(of: users, app: app.id, in: tx)
    }

    /// Adds the records to an export, and counts what it can't take.
    func write(to exporter: inout MemberExporter) throws {
        for row in members {
            if row.status == .missing {
                exporter.lose(.missing)
            } else if row.status == .withdrawn || row.withdrawsAt.map({ $0 <= moment }) ?? false {
                exporter.lose(.withdrawn)
            } else {
                let member = record(of: row, &exporter)
                try exporter.add(member)
            }
        }
    }

    private func record(of row: MemberQueries.Exported, _ exporter: inout MemberExporter) -> ImportedMember {
        var member = ImportedMember(legacyID: row.user.rawValue)
        if ImportedMember.isUserID(row.user.rawValue) { member.userID = row.user.rawValue }
        member.registrationDate = row.registrationDate
        member.lastLoginDate = row.lastLoginDate
        member.gracePeriodDate = row.withdrawsAt?.milliseconds
        let all = identities[row.user] ?? []
        member.identities = all.filter { $0.provider != .guest }.map(record)
        member.status =
            if member.gracePeriodDate != nil { .withdrawn } else { member.identities.isEmpty ? .guest : .active }
        takeBans(of: row, &member, &exporter)
        member.extra = extra(of: row.user, keys: all.filter { $0.provider == .guest }.map(\.subject))
        return member
    }

    private func record(of identity: MemberQueries.ExportedIdentity) -> ImportedIdentity {
        let provider = ExportedProvider(identity.provider, app.providers[identity.provider])
        return ImportedIdentity(
            provider: provider.name, subject: identity.subject, kind: provider.kind, issuer: provider.issuer,
            namespace: identity.namespace.isEmpty ? nil : identity.namespace,
            registrationDate: identity.registrationDate)
    }

    private func takeBans(
        of row: MemberQueries.Exported, _ member: inout ImportedMember, _ exporter: inout MemberExporter
    ) {
        var all = (bans[row.user] ?? []).map { record(of: $0, &exporter) }
        if let end = row.graceEndsAt {
            // One whose deadline has passed is a ban, as soon as somebody looks at the member.
            if end <= moment {
                all.append(ImportedBan(.permanent, beginDate: end.milliseconds))
            } else {
                exporter.lose(.graceBans)
            }
        }
        exporter.lose(.bans, max(0, all.count - ImportLimits.bans))
        member.bans = Array(all.suffix(ImportLimits.bans))
    }

    private func record(of ban: BanRecord, _ exporter: inout MemberExporter) -> ImportedBan {
        let reason = Self.text(ban.reason)
        if !reason.isExactly(ban.reason) { exporter.lose(.reasons) }
        // One that was lifted has ended then.
        let end = ban.release.map { max($0.at, ban.beginsAt) } ?? ban.endsAt
        return ImportedBan(
            end == nil ? .permanent : .temporary, beginDate: ban.beginsAt.milliseconds, endDate: end?.milliseconds,
            reason: reason.isEmpty ? nil : reason)
    }

    /// A reason without control characters, and within its length.
    private static func text(_ reason: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in reason.unicodeScalars.prefix(ImportLimits.reasonLength) {
            scalars.append(ImportLimits.hasControls(String(scalar)) ? " " : scalar)
        }
        return String(scalars)
    }

    /// What has no place in a record: the keys of a guest's device, and who the member was in systems before.
    private func extra(of user: UserID, keys: [String]) -> StrictJSON.Value? {
        var extra: [(name: String, value: StrictJSON.Value)] = []
        if !keys.isEmpty { extra.append(("deviceKeys", .array(keys.map { .string($0) }))) }
        let ids = (legacy[user] ?? []).map { (name: $0.source, value: StrictJSON.Value.string($0.legacyID)) }
        if !ids.isEmpty { extra.append(("legacyIds", .object(ids))) }
        return extra.isEmpty ? nil : .object(extra)
    }
}

/// How an identity provider of the app stands in neutral records.
struct ExportedProvider: Sendable {
    let name: String
    /// The kind of Game Center's ids.
    let kind: String?
    /// The issuer of an OpenID provider.
    let issuer: String?

    /// - Parameter configuration: nil for a provider that the app has no longer.
    init(_ provider: Provider, _ configuration: ProviderConfiguration?) {
        name = SubjectForm.standardName(of: provider) ?? provider.rawValue
        kind = configuration?.kind == .gameCenter ? configuration?.gameCenter?.playerIds ?? "team" : nil
        issuer = (configuration?.openID?.issuer).flatMap { $0.isEmpty ? nil : $0 }
    }
}
