import GatehouseJSON
import GatehouseWire

/// An entry of the ledger in an export. Who has acted is left out, because it is another person.
struct ExportedEntry: JSONWritable {
    let entry: LedgerEntry

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("entryId", entry.id)
            $0.member("userId", entry.user.rawValue)
            $0.member("event", entry.event.stored)
            $0.member("actor", entry.origin.actor.rawValue)
            $0.member("door", entry.origin.door.rawValue)
            $0.member("reason", entry.origin.reason)
            $0.member("details", encoded: entry.details.isEmpty ? nil : entry.details)
            $0.member("date", entry.date)
        }
    }

    /// The line of a file.
    var line: [UInt8] {
        var text = JSONBytes()
        write(to: &text)
        return text.bytes + [0x0a]
    }
}
