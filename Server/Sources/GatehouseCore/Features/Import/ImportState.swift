import GatehouseImport
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
