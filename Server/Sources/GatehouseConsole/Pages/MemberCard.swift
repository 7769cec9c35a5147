import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    /// What a list shows of a member beside its link: labels with their values, as a card that the script lays over the list.
    func memberCard() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let member = try await run(ReadMemberReport(user: user)).member
        let country = try await run(ListMemberDevices(of: user)).lazy.compactMap(\.client?.deviceCountryCode).first
        let providers = member.mappings.map(\.provider)
        let login = Moment(milliseconds: member.lastLoginDate)
        let facts = [
            ("id", user.rawValue), ("state", memberState(member.status).text),
            ("providers", providers.isEmpty ? "–" : providerLabels(providers)),
            ("last-login", "\(local.relative(login)) · \(local.absolute(login))"), ("country", country ?? "–"),
        ]
        return Console.html(
            dl(.class("facts peek"), Attribute("popover", "manual")) {
                for (name, value) in facts {
                    dt { words("members.\(name)") }
                    dd { bdi { value } }
                }
            })
    }
}
