import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Compares a changed record with the member that an earlier file has brought. What a player or an operator has changed here since stays
/// as it is.
struct ImportComparison {
    let record: ImportRecord
    let legacy: LegacyMember
    let state: ImportState
    let task: ImportTask
    let app: AppID
    let moment: Moment

    private static let historyLimit = 200

    func verdict(in tx: Reader) throws -> ImportVerdict {
        let account = try MemberRules.known(legacy.user, app: app, in: tx)
        var changed = legacy
        changed.digest = record.digest
        changed.validSince = record.member.validSinceDate.map { Moment(milliseconds: $0) }
        changed.hasLostIdentities = record.member.lost.contains(.identities)
        var step = ImportExtension(account: account, legacy: changed)
        var notes = record.notes
        guard !account.isGone else {
            return ImportVerdict(.extend(step), notes + [ImportNote(.changedHere, at: "")])
        }
        try compareIdentities(&step, &notes, in: tx)
        compareDevices(&step, &notes)
        try compareBans(&step, &notes, in: tx)
        try compareWithdrawal(&step, &notes, in: tx)
        return ImportVerdict(.extend(step), notes)
    }

    // MARK: Identities and devices

    private func compareIdentities(
        _ step: inout ImportExtension, _ notes: inout [ImportNote], in tx: Reader
    ) throws {
        let account = step.account
        var removed: Set<String>?
        for identity in record.identities {
            let owner = state.owner(of: identity.key)
            guard owner != account.user else { continue }
            let provider = identity.key.provider
            // A guest's device would lose its way in by the first mapping.
            guard owner == nil, !account.isPureGuest, !account.has(provider) else {
                notes.append(ImportNote(.changedHere, at: identity.path, holder: owner))
                continue
            }
            if removed == nil { removed = try removedProviders(in: tx) }
            guard removed?.contains(provider.rawValue) != true else {
                notes.append(ImportNote(.changedHere, at: identity.path))
                continue
            }
            step.identities.append(identity)
        }
    }

    /// The providers whose identities the member has lost here.
    private func removedProviders(in tx: Reader) throws -> Set<String> {
        let entries = try LedgerQueries.changesOfIdentities(
            of: legacy.user, app: app, since: legacy.importedAt, limit: Self.historyLimit, in: tx)
        let losses: Set<EventName> = [.mappingRemoved, .mappingMovedAway]
        return Set(entries.filter { losses.contains($0.event) }.compactMap { $0.details["idp"] })
    }

    private func compareDevices(_ step: inout ImportExtension, _ notes: inout [ImportNote]) {
        for device in record.devices {
            let owner = state.owner(of: device)
            if owner == nil {
                step.devices.append(device)
            } else if owner != legacy.user {
                notes.append(ImportNote(.deviceHeld, at: device.path, holder: owner))
            }
        }
    }

    // MARK: Bans

    private func compareBans(_ step: inout ImportExtension, _ notes: inout [ImportNote], in tx: Reader) throws {
        let wanted = ImportBans(of: record.member, at: moment)
        notes += wanted.notes
        guard wanted.current != nil || !wanted.past.isEmpty || step.account.holds.ban != nil else { return }
        let imported = try BanRules.newest(of: legacy.user, app: app, limit: Self.historyLimit, in: tx)
            .filter { $0.isImported(by: task.name) }
        step.pastBans = wanted.past.filter { ban in !imported.contains { $0.isSame(as: ban) } }
        let held = step.account.holds.ban
        let own = held.flatMap { held in imported.first { $0.id == held.id } }
        switch (wanted.current, held, own) {
        case (nil, nil, _), (nil, _?, nil): break
        case (nil, _?, let own?):
            if try isTouched(own, in: tx) {
                notes.append(ImportNote(.changedHere, at: "bans"))
            } else {
                step.ban = .lift(id: own.id)
            }
        case (let ban?, nil, _):
            // An operator's release here stays, and so does the end of a ban that the file has told before.
            let before = imported.first { $0.isSame(as: ban) || ban.beginDate == $0.beginsAt.milliseconds }
            if before.map({ $0.release?.by != task.name }) ?? false {
                notes.append(ImportNote(.changedHere, at: "bans"))
            } else {
                step.ban = .begin(ban)
            }
        case (_?, _?, nil): notes.append(ImportNote(.changedHere, at: "bans"))
        case (let ban?, _?, let own?):
            guard !own.isSame(as: ban) else { break }
            if try isTouched(own, in: tx) {
                notes.append(ImportNote(.changedHere, at: "bans"))
            } else {
                step.ban = .change(id: own.id, end: ban.endDate.map { Moment(milliseconds: $0) })
            }
        }
    }

    /// Whether somebody here has given the ban another end.
    private func isTouched(_ ban: BanRecord, in tx: Reader) throws -> Bool {
        try history(about: .bans, in: tx).contains { entry in
            entry.event == .banChanged && entry.details["banId"] == ban.id && entry.origin.name != task.name
        }
    }

    private func history(about kind: TimelineKind, in tx: Reader) throws -> [LedgerEntry] {
        try LedgerQueries.entries(
            of: legacy.user, app: app, before: nil, about: kind, limit: Self.historyLimit, in: tx)
    }

    // MARK: The withdrawal

    private func compareWithdrawal(
        _ step: inout ImportExtension, _ notes: inout [ImportNote], in tx: Reader
    ) throws {
        let wanted = record.member.gracePeriodDate.map { Moment(milliseconds: $0) }
        let held = step.account.holds.withdrawsAt
        guard wanted != held else { return }
        let last = try history(about: .withdrawals, in: tx).first
        let isOwn = last.map { $0.origin.name == task.name } ?? true
        guard let wanted else {
            // Who has asked for it here goes.
            if last != nil, isOwn { step.withdrawal = .cancel }
            return
        }
        let isUsed = legacy.claimedKey != nil || step.account.lastLoginDate > legacy.importedAt.milliseconds
        guard isOwn, !isUsed || held != nil else {
            notes.append(ImportNote(.changedHere, at: "withdrawal"))
            return
        }
        step.withdrawal = .request(wanted)
    }
}

/// What a later file adds to a member that an earlier one has brought.
struct ImportExtension: Sendable {
    enum BanStep: Sendable {
        case begin(ImportedBan)
        /// The imported ban gets another end.
        case change(id: String, end: Moment?)
        case lift(id: String)
    }

    enum WithdrawalStep: Sendable {
        case request(Moment)
        case cancel
    }

    /// The member as it was read. It is changed only if it is still so.
    let account: Account
    var legacy: LegacyMember
    var identities: [ImportRecord.Identity] = []
    var devices: [ImportRecord.Device] = []
    var ban: BanStep?
    /// Bans that are over.
    var pastBans: [ImportedBan] = []
    var withdrawal: WithdrawalStep?

    /// Whether something is written beside the record's digest.
    var changesMember: Bool {
        !(identities.isEmpty && devices.isEmpty && pastBans.isEmpty) || ban != nil || withdrawal != nil
    }
}

fileprivate extension BanRecord {
    /// Whether an import has made the ban.
    ///
    /// - Parameter name: the name that the import has in the ledger. Game servers and operators can give themselves the same one, but not
    ///   the same caller.
    func isImported(by name: String) -> Bool { caller == Origin.system(name).caller && registeredBy == name }

    /// Whether it is this ban of an old system.
    func isSame(as ban: ImportedBan) -> Bool {
        type == ban.type && endsAt?.milliseconds == ban.endDate
            && ban.beginDate.map { $0 == beginsAt.milliseconds } ?? true
    }
}
