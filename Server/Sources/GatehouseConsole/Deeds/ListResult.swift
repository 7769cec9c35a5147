import GatehouseCore
import GatehousePlatform
import GatehouseWire

extension Visit {
    /// What came of a deed about a list: how many members it changed, and why it left out the others. Nil for another deed.
    func listResult(_ record: DeedRecord) -> String? {
        guard let count = record.listCount, let before = record.before else { return nil }
        let isBan = record.action == "members.banned"
        let changed = isBan ? record.begunBans.count : record.endedBans.count
        let members = before.listedUsers
        let gone = members.filter { user in
            [MemberStatus.withdrawn, .missing].contains { before.values["\(user).status"] == $0.rawValue }
        }.count
        let unknown = count - members.count
        var left = [("gone", isBan ? gone : 0), ("unknown", unknown)]
        left.append((isBan ? "already" : "not-banned", count - changed - left.reduce(0) { $0 + $1.1 }))
        let reasons = left.filter { $0.1 > 0 }.map { words("left-out.\($0.0)", ["count": Words.number($0.1)]) }
        let done = words("done.\(record.action)", ["count": Words.number(changed)])
        guard !reasons.isEmpty else { return done }
        return done + " "
            + words("left-out", ["count": Words.number(count - changed), "reasons": reasons.joined(separator: ", ")])
    }
}

extension DeedRecord {
    /// How many ids a list had; nil for a deed about something else.
    fileprivate var listCount: Int? {
        let parts = target.parts(at: " ")
        return parts.count == 2 && parts[0] == "members" ? Int(parts[1]) : nil
    }
}
