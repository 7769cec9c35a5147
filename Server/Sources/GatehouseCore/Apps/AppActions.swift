package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Creates an app with its first secret key, which is returned only here.
package struct CreateApp: ServerAction {
    let id: AppID
    let name: String

    package init(id: AppID, name: String) {
        self.id = id
        self.name = name
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> SecretKey {
        let (random, vault) = (services.random, services.vault)
        let (secret, told) = try await services.database.transact { tx in
            let (app, secret) = try AppRules.create(id, name: name, vault: vault, at: moment, random: random, in: tx)
            let change = Change(
                Viewpoint(app: app, moment: moment), by: actor.origin, random: random, vault: vault)
            try change.record(.created, in: tx)
            return (secret, change.told)
        }
        services.report(told)
        return secret
    }
}

/// Lists the apps.
package struct ListApps: ServerAction {
    package static let role: OperatorRole? = nil

    package init() {}

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> [(id: AppID, status: LaunchingStatus, name: String)] {
        try await services.database.read { tx in try AppQueries.apps(in: tx) }.map { ($0.id, $0.status, $0.name) }
    }
}

/// Reads an app as it is now.
package struct ReadApp: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> App { work.app }
}

package struct ListTestDevices: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> [TestDevice] {
        let app = work.app.id
        return try await work.services.database.read { tx in try AppQueries.testDevices(of: app, in: tx) }
    }
}
