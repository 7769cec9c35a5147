/// What an export has written, and what it has left out.
package struct ExportTotals: Sendable, Equatable {
    /// When the snapshot was taken.
    package var takenDate: Int64 = 0
    package var members = 0
    package var identities = 0
    package var bans = 0
    package var ledgerEntries = 0
    package private(set) var losses: [ExportLoss: Int] = [:]

    package init() {}

    package mutating func lose(_ loss: ExportLoss, _ count: Int = 1) {
        guard count > 0 else { return }
        losses[loss, default: 0] += count
    }

    mutating func add(_ member: ImportedMember) {
        members += 1
        identities += member.identities.count
        bans += member.bans.count
    }

    /// The text of `MISSING.txt`.
    ///
    /// - Parameter never: what the target never takes.
    package func missing(never: [String]) -> String {
        let counted = ExportLoss.allCases.compactMap { loss in losses[loss].map { "\($0) \(loss.message)" } }
        let lines = counted + never
        return lines.isEmpty ? "Nothing is missing.\n" : lines.map { "- \($0)\n" }.joined()
    }
}
