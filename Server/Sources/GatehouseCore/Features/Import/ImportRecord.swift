import Crypto
import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

/// A record of a file, with its identities as logins here find them.
struct ImportRecord: Sendable {
    struct Identity: Sendable {
        let key: IdentityKey
        let registeredAt: Moment?
        let path: String
    }

    struct Device: Sendable {
        let kind: String
        /// The SHA-256 of its id.
        let digest: [UInt8]
        let path: String
    }

    let line: Int
    let member: ImportedMember
    let digest: [UInt8]
    private(set) var identities: [Identity] = []
    private(set) var devices: [Device] = []
    private(set) var notes: [ImportNote] = []

    init(_ member: ImportedMember, line: Int, _ mapping: ImportMapping) {
        self.line = line
        self.member = member
        digest = Self.bytes(ofDigits: member.digest)
        takeIdentities(mapping)
        takeDevices()
    }

    private mutating func takeIdentities(_ mapping: ImportMapping) {
        for (index, identity) in member.identities.enumerated() {
            let path = "identities[\(index)]"
            guard let slot = mapping.slot(for: identity.provider) else {
                notes.append(ImportNote(mapping.isOmitted(identity.provider) ? .omitted : .noProvider, at: path))
                continue
            }
            if let problem = mapping.problem(of: identity, at: slot) {
                notes.append(ImportNote(problem, at: path))
                continue
            }
            let key = IdentityKey(
                provider: slot.provider, namespace: slot.namespace, subject: identity.subject)
            let found = Identity(
                key: key, registeredAt: identity.registrationDate.map { Moment(milliseconds: $0) }, path: path)
            guard let other = identities.firstIndex(where: { $0.key.provider == slot.provider }) else {
                identities.append(found)
                continue
            }
            guard !identities[other].key.subject.isExactly(key.subject) else { continue }
            // No file says which one was used last. The one that was added last is the better guess, and the other one is reported.
            let isNewer =
                (found.registeredAt?.milliseconds ?? -1) > (identities[other].registeredAt?.milliseconds ?? -1)
            notes.append(ImportNote(.leftOut, at: isNewer ? identities[other].path : path))
            if isNewer { identities[other] = found }
        }
    }

    private mutating func takeDevices() {
        var kinds: [[UInt8]: Set<String>] = [:]
        var all: [(device: Device, isWeak: Bool)] = []
        for (index, device) in member.devices.enumerated() {
            let found = Device(
                kind: device.kind.rawValue, digest: Self.bytes(ofDigits: device.hash), path: "devices[\(index)]")
            // The same one twice is one.
            guard kinds[found.digest, default: []].insert(found.kind).inserted else { continue }
            all.append((found, WeakDevice.isWeak(device)))
        }
        for (device, isWeak) in all {
            if isWeak || (kinds[device.digest]?.count ?? 1) > 1 {
                notes.append(ImportNote(.weakDevice, at: device.path))
            } else {
                devices.append(device)
            }
        }
    }

    /// What no other record of the file may have, hashed. Equal numbers may be different things once in many million files; then a
    /// record more is reported.
    func marks(keepingUserIDs: Bool) -> [Int] {
        var marks = [Self.mark("legacy", member.legacyID)]
        for identity in identities {
            marks.append(Self.mark(identity.key.provider.rawValue, identity.key.namespace, identity.key.subject))
        }
        for device in devices { marks.append(Self.mark(device.kind, device.digest)) }
        if keepingUserIDs, let user = member.userID { marks.append(Self.mark("user", user)) }
        return marks
    }

    private static func mark(_ parts: any Hashable...) -> Int {
        var hasher = Hasher()
        for part in parts { hasher.combine(AnyHashable(part)) }
        return hasher.finalize()
    }

    /// The bytes of pairs of small hexadecimal digits.
    private static func bytes(ofDigits digits: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits.utf8 {
            let value = digit < 0x3a ? digit &- 0x30 : digit &- 0x57
            if let first = high { bytes.append(first << 4 | value & 15) }
            high = high == nil ? value & 15 : nil
        }
        return bytes
    }
}

/// Ids of devices that many devices have, or that anybody can guess. They are no credentials.
enum WeakDevice {
    private static let shortest = 9
    /// What systems give for an id that they do not tell, and one that all emulators of Android 2.2 had.
    private static let placeholders: Set<String> = [
        "00000000-0000-0000-0000-000000000000", "02:00:00:00:00:00", "9774d56d682e549c", "000000000000000",
        "0000000000000000", "unknown-device", "undefined", "012345678912345", "0123456789abcdef",
    ]
    private static let hashes = Set(placeholders.map { ImportedDevice(.deviceID, .plain($0)).hash })

    /// If the id came as its hash, only the known ones are recognized.
    static func isWeak(_ device: ImportedDevice) -> Bool {
        guard !hashes.contains(device.hash) else { return true }
        guard case .plain(let id) = device.value else { return false }
        let letters = id.utf8.filter { byte in byte != UInt8(ascii: "-") && byte != UInt8(ascii: ":") }
        return id.utf8.count < shortest || Set(letters).count < 2 || placeholders.contains(id.lowercased())
    }
}

/// Records of a file in its order, those that can't be read among them.
struct ImportBatch: Sendable {
    /// Those that can be read.
    let records: [ImportRecord]
    private let rejected: [ImportOutcome]

    init(_ records: some Sequence<NeutralFileReader.Record>, _ task: ImportTask) {
        var readable: [ImportRecord] = []
        var rejected: [ImportOutcome] = []
        for record in records {
            switch record.member {
            case .success(let member): readable.append(ImportRecord(member, line: record.line, task.mapping))
            case .failure(let problem): rejected.append(ImportOutcome(problem, line: record.line))
            }
        }
        self.records = readable
        self.rejected = rejected
    }

    /// The outcomes of all records, in the order of their lines.
    func outcomes(_ readable: [ImportOutcome]) -> [ImportOutcome] {
        rejected.isEmpty ? readable : (readable + rejected).sorted { $0.line < $1.line }
    }
}
