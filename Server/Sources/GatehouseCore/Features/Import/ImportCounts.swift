import GatehouseWire

/// What an import has done so far. Every record that was read was imported, skipped or rejected.
package struct ImportCounts: Sendable, Hashable, Codable {
    package var created = 0
    package var unchanged = 0
    package var extended = 0
    package var adopted = 0
    /// By code.
    package var skipped: [String: Int] = [:]
    package var rejected: [String: Int] = [:]
    /// Identities that came in, by the app's providers.
    package var identities: [String: Int] = [:]
    /// What was left out of records that came in, by code.
    package var notes: [String: Int] = [:]

    package init() {}

    package var imported: Int { created + unchanged + extended + adopted }
    package var skippedRecords: Int { skipped.values.reduce(0, +) }
    package var rejectedRecords: Int { rejected.values.reduce(0, +) }
    package var read: Int { imported + skippedRecords + rejectedRecords }
    /// Whether every record came in, and nobody has to look at one.
    package var isClean: Bool { skipped.isEmpty && rejected.isEmpty }

    package mutating func add(_ outcome: ImportOutcome) {
        switch outcome.kind {
        case .created: created += 1
        case .unchanged: unchanged += 1
        case .extended: extended += 1
        case .adopted: adopted += 1
        case .skipped: skipped[outcome.code ?? "", default: 0] += 1
        case .rejected: rejected[outcome.code ?? "", default: 0] += 1
        }
        for provider in outcome.providers { identities[provider.rawValue, default: 0] += 1 }
        for note in outcome.notes { notes[note.code.rawValue, default: 0] += 1 }
    }
}
