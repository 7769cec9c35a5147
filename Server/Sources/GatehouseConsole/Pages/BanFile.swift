import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    /// The newest bans that the list's filters leave, as a file.
    func banFile() async throws -> Response {
        let bans = try await run(ExportBans(banFilter))
        let templates = try await run(ListBanTemplates())
        let names = Dictionary(templates.map { ($0.code, $0.name) }) { first, _ in first }
        var file = CSV()
        file.append(
            [
                "ban_id", "user_id", "state", "begins_at", "ends_at", "text", "text_name", "reason", "flags", "caller",
                "banned_by", "released_at", "release_caller", "released_by", "release_reason",
            ].map(CSV.cell))
        for ban in bans {
            let cells: [String?] = [
                ban.id, ban.user.rawValue, ban.state(at: moment).rawValue, local.machine(ban.beginsAt),
                ban.endsAt.map { local.machine($0) }, ban.templateCode.map { String($0) },
                ban.templateCode.flatMap { names[$0] }, ban.reason, ban.flags, ban.caller, ban.registeredBy,
                ban.release.map { local.machine($0.at) }, ban.release?.caller, ban.release?.by, ban.release?.reason,
            ]
            file.append(cells.map { CSV.cell($0 ?? "") })
        }
        return Console.file(file, named: "\(try app().id)-bans.csv")
    }
}
