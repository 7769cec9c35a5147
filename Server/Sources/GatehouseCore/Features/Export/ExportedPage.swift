import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
