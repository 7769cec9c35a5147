package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists the names of those who have lately done something in an app, for a choice.
package struct ListDeedPeople: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// How many deeds are looked at.
    static let looked = 1_000

    package init() {}

    package func perform(_ work: Work) async throws -> [String] {
        let app = work.app.id
        return try await work.report { tx in
            try DeedQueries.people(of: app, lookingAt: Self.looked, in: tx).sorted()
        }
    }
}

/// Lists the names of those who have lately done something anywhere.
package struct ListServerDeedPeople: ServerAction {
    package init() {}

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [String] {
        try await services.database.report { tx in
            try DeedQueries.people(of: nil, lookingAt: ListDeedPeople.looked, in: tx).sorted()
        }
    }
}
