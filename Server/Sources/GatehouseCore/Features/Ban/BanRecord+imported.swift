import GatehouseImport
import GatehouseSecurity
import GatehouseWire

extension BanRecord {
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

extension Origin {
    /// The server itself, as it does something under a name.
    static func system(_ name: String, reason: String? = nil) -> Origin {
        Origin(actor: .system, door: .command, name: name, reason: reason)
    }
}
