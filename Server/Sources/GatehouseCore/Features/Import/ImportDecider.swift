import GatehouseImport
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Decides about the records of a batch by what the database has. It writes nothing.
struct ImportDecider {
    let task: ImportTask
    let hashKey: LegacyHashKey
    let app: AppID
    let moment: Moment

    /// A verdict for each record, in their order.
    func verdicts(of records: [ImportRecord], in tx: Reader) throws -> [ImportVerdict] {
        let state = try ImportState(records, task, hashKey: hashKey, app: app, in: tx)
        return try records.map { record in try verdict(of: record, state, in: tx) }
    }

    private func verdict(of record: ImportRecord, _ state: ImportState, in tx: Reader) throws -> ImportVerdict {
        let member = record.member
        if task.isTwice(record) { return ImportVerdict(.skip(.twiceInFile)) }
        if case .skip = task.options.resolutions[member.legacyID] { return ImportVerdict(.skip(.skipped)) }
        if let end = member.gracePeriodDate, end <= moment.milliseconds { return ImportVerdict(.skip(.withdrawn)) }
        if let known = state.member(member.legacyID) {
            guard known.digest != record.digest else { return ImportVerdict(.unchanged(known.user), record.notes) }
            return try ImportComparison(
                record: record, legacy: known, state: state, task: task, app: app, moment: moment
            ).verdict(in: tx)
        }
        guard !state.isErased(member.legacyID) else { return ImportVerdict(.skip(.erased)) }
        if let verdict = verdictByIdentities(of: record, state) { return verdict }
        if task.options.userIDs == .keep {
            guard let user = member.userID else { return ImportVerdict(.skip(.noUserID)) }
            guard !state.takenUserIDs.contains(UserID(user)) else {
                return ImportVerdict(.skip(.userIDTaken, holder: UserID(user)))
            }
        }
        var notes = record.notes + ImportBans(of: member, at: moment).notes
        notes += record.devices.compactMap { device in
            state.owner(of: device).map { ImportNote(.deviceHeld, at: device.path, holder: $0) }
        }
        return ImportVerdict(.create(record.devices.filter { state.owner(of: $0) == nil }), notes)
    }

    /// Nil if nobody has an identity of the record.
    private func verdictByIdentities(of record: ImportRecord, _ state: ImportState) -> ImportVerdict? {
        let holders = Set(record.identities.compactMap { state.owner(of: $0.key) })
        guard let first = holders.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
        var holder = first
        if holders.count > 1 {
            guard case .member(let chosen) = task.options.resolutions[record.member.legacyID],
                holders.contains(chosen)
            else { return ImportVerdict(.skip(.heldByTwo, holder: first)) }
            holder = chosen
        }
        guard state.ownersLegacy[holder] == nil else { return ImportVerdict(.skip(.held, holder: holder)) }
        guard holders.count > 1 || task.options.heldIdentities == .adopt else {
            return ImportVerdict(.skip(.held, holder: holder))
        }
        return ImportVerdict(.adopt(holder))
    }
}
