package import GatehouseImport
import GatehouseProviders
import GatehouseWire

/// What the first reading of a file finds out, before anything is asked of the database: what is twice in it, and whether its identities
/// can be those of the app. It keeps a number for each id, identity and device, and no record.
package struct ImportSurvey {
    /// More misfits of a provider than these in a hundred stop an import: then the ids are of another kind.
    private static let misfitsInHundred = 1

    let mapping: ImportMapping
    /// Records that can be read.
    package private(set) var members = 0
    package private(set) var rejected = 0
    package private(set) var statuses: [String: Int] = [:]
    /// Identities by the neutral names of their providers.
    package private(set) var identities: [String: Int] = [:]
    /// Those that the operator leaves out, by the same names. A name that the file does not have stands there with 0.
    package private(set) var omitted: [String: Int] = [:]
    /// Those that logins here can find, by the app's providers.
    package private(set) var mapped: [String: Int] = [:]
    package private(set) var devices = 0
    package private(set) var bans = 0
    /// What records have that the source may have left out.
    package private(set) var lost: [String: Int] = [:]
    package private(set) var notes: [String: Int] = [:]

    private var slots: Set<ImportMapping.Slot> = []
    private var misfits: [String: Int] = [:]
    private var marks: [Int] = []
    private var hasUserIDs = true

    package init(_ mapping: ImportMapping) {
        self.mapping = mapping
        for name in mapping.omitted { omitted[name] = 0 }
    }

    package mutating func add(_ record: NeutralFileReader.Record) {
        guard case .success(let member) = record.member else {
            rejected += 1
            return
        }
        members += 1
        statuses[member.status.rawValue, default: 0] += 1
        devices += member.devices.count
        bans += member.bans.count
        for loss in member.lost { lost[loss.rawValue, default: 0] += 1 }
        for identity in member.identities {
            identities[identity.provider, default: 0] += 1
            guard let slot = mapping.slot(for: identity.provider) else {
                omitted[identity.provider]? += 1
                continue
            }
            slots.insert(slot)
            if mapping.problem(of: identity, at: slot) == .misfit { misfits[identity.provider, default: 0] += 1 }
        }
        let prepared = ImportRecord(member, line: record.line, mapping)
        for identity in prepared.identities { mapped[identity.key.provider.rawValue, default: 0] += 1 }
        for note in prepared.notes { notes[note.code.rawValue, default: 0] += 1 }
        if member.userID == nil { hasUserIDs = false }
        marks += prepared.marks(keepingUserIDs: mapping.options.userIDs == .keep)
    }

    /// What the records need to be decided.
    ///
    /// - Throws: ``ImportFailure`` for a file that must not be imported.
    package mutating func finish() throws -> ImportTask {
        for (name, count) in misfits.sorted(by: { $0.key < $1.key }) {
            let all = identities[name] ?? 0
            guard count * 100 <= all * Self.misfitsInHundred else {
                throw ImportFailure(
                    .misfits,
                    "\(count) of \(all) ids of \(name) have another form than those of the app's identity provider. They are ids of another kind."
                )
            }
        }
        try mapping.requireAssertions(of: slots)
        if mapping.options.userIDs == .keep, !hasUserIDs {
            throw ImportFailure(.noUserIDs, "A record has no user id of Gatehouse's form, so user ids can't be kept.")
        }
        return ImportTask(mapping: mapping, twins: twins())
    }

    private mutating func twins() -> Set<Int> {
        marks.sort()
        var twins: Set<Int> = []
        for (one, next) in zip(marks, marks.dropFirst()) where one == next { twins.insert(one) }
        marks = []
        return twins
    }
}

/// What every batch of an import needs.
package struct ImportTask: Sendable {
    package let mapping: ImportMapping
    /// The marks of what stands in several records of the file.
    let twins: Set<Int>

    var options: ImportOptions { mapping.options }
    /// The name by which the ledger, bans and releases tell an import from other changes.
    var name: String { Self.name(of: mapping.source) }

    static func name(of source: String) -> String { "import \(source)" }

    func isTwice(_ record: ImportRecord) -> Bool {
        !twins.isEmpty && record.marks(keepingUserIDs: options.userIDs == .keep).contains(where: twins.contains)
    }
}
