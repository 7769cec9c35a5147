import GatehouseImport
import GatehouseJSON
import GatehouseProviders
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

/// What is to be done about a record. Plan and import decide in the same way; the import then writes it.
struct ImportVerdict: Sendable {
    enum Decision: Sendable {
        /// A new member, with those of the record's devices that no other member has.
        case create([ImportRecord.Device])
        case unchanged(UserID)
        case extend(ImportExtension)
        /// The member came before the file.
        case adopt(UserID)
        case skip(ImportCode, holder: UserID? = nil)
    }

    let decision: Decision
    var notes: [ImportNote] = []

    init(_ decision: Decision, _ notes: [ImportNote] = []) {
        self.decision = decision
        self.notes = notes
    }
}

/// What the database has of the records of a batch: a look-up by list for each question.
struct ImportState {
    /// By legacy id.
    private var known: [ExactText: LegacyMember] = [:]
    private var owners: [OwnedIdentity: UserID] = [:]
    /// What the owners of identities are in this source.
    private(set) var ownersLegacy: [UserID: LegacyMember] = [:]
    /// The members of devices, by the devices' hashes with their kinds.
    private var deviceOwners: [DeviceKey: UserID] = [:]
    private var erased: Set<[UInt8]> = []
    private(set) var takenUserIDs: Set<UserID> = []
    private let hashKey: LegacyHashKey

    private struct OwnedIdentity: Hashable {
        let provider: Provider
        let namespace: String
        let subject: ExactText

        init(_ identity: IdentityKey) {
            (provider, namespace, subject) = (identity.provider, identity.namespace, ExactText(identity.subject))
        }
    }

    private struct DeviceKey: Hashable {
        let kind: String
        let hash: [UInt8]
    }

    init(_ records: [ImportRecord], _ task: ImportTask, hashKey: LegacyHashKey, app: AppID, in tx: Reader) throws {
        self.hashKey = hashKey
        let source = task.mapping.source
        let ids = records.map(\.member.legacyID)
        for member in try LegacyQueries.members(ids, source: source, app: app, in: tx) {
            known[ExactText(member.legacyID)] = member
        }
        let identities = records.flatMap { $0.identities.map(\.key) }
        for (identity, user) in try MemberQueries.owners(of: identities, app: app, in: tx) {
            owners[OwnedIdentity(identity)] = user
        }
        let holders = Array(Set(owners.values))
        for member in try LegacyQueries.members(of: holders, source: source, app: app, in: tx) {
            ownersLegacy[member.user] = member
        }
        let devices = records.flatMap { $0.devices.map { hashKey.hash(ofDeviceDigest: $0.digest) } }
        for found in try LegacyQueries.users(ofDevices: devices, source: source, app: app, in: tx) {
            deviceOwners[DeviceKey(kind: found.kind, hash: found.hash)] = found.user
        }
        erased = Set(try LegacyQueries.erased(ids.map(hashKey.hash(ofErased:)), source: source, app: app, in: tx))
        if task.options.userIDs == .keep {
            let kept = records.compactMap { $0.member.userID.map { UserID($0) } }
            takenUserIDs = try MemberQueries.existing(among: kept, app: app, in: tx)
        }
    }

    func member(_ legacyID: String) -> LegacyMember? { known[ExactText(legacyID)] }

    func owner(of identity: IdentityKey) -> UserID? { owners[OwnedIdentity(identity)] }

    func isErased(_ legacyID: String) -> Bool { erased.contains(hashKey.hash(ofErased: legacyID)) }

    func owner(of device: ImportRecord.Device) -> UserID? {
        deviceOwners[DeviceKey(kind: device.kind, hash: hashKey.hash(ofDeviceDigest: device.digest))]
    }
}

/// The bans of a record, as of a moment.
struct ImportBans: Sendable {
    /// The one in effect; of several, the one that ends last.
    private(set) var current: ImportedBan?
    /// Those that are over and known from when to when.
    private(set) var past: [ImportedBan] = []
    private(set) var notes: [ImportNote] = []

    init(of member: ImportedMember, at moment: Moment) {
        var places: [(ban: ImportedBan, path: String)] = []
        for (index, ban) in member.bans.enumerated() {
            let path = "bans[\(index)]"
            if ban.endDate.map({ $0 > moment.milliseconds }) ?? true {
                places.append((ban, path))
            } else if let begin = ban.beginDate, let end = ban.endDate, begin <= end {
                past.append(ban)
            } else {
                notes.append(ImportNote(.lostBan, at: path))
            }
        }
        let last = places.indices.max { one, other in
            (places[one].ban.endDate ?? .max) < (places[other].ban.endDate ?? .max)
        }
        guard let last else { return }
        current = places[last].ban
        for index in places.indices where index != last { notes.append(ImportNote(.lostBan, at: places[index].path)) }
    }
}
