import GatehouseImport
import GatehouseSecurity

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
