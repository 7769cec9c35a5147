import GatehouseImport

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
