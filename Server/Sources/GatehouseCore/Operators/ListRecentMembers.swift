package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists the members that an operator has changed last, newest first, each once. It looks through a bounded number of everybody's deeds.
package struct ListRecentMembers: ServerAction {
    package static let role: OperatorRole? = nil

    package struct Entry: Sendable, Hashable {
        package let app: AppID
        package let user: UserID
        package let date: Moment
    }

    /// The number of deeds that are looked through.
    private static let bound = 1_000
    let person: OperatorID
    let limit: Int

    package init(of person: OperatorID, limit: Int) {
        self.person = person
        self.limit = limit
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [Entry] {
        try await services.database.report { tx in
            var entries: [Entry] = []
            for deed in try DeedQueries.targets(of: person, among: Self.bound, in: tx) {
                guard case .member(let user)? = DeedTarget(deed.target), let app = deed.app,
                    !entries.contains(where: { $0.app == app && $0.user == user })
                else { continue }
                entries.append(Entry(app: app, user: user, date: deed.date))
                if entries.count == limit { break }
            }
            return entries
        }
    }
}
