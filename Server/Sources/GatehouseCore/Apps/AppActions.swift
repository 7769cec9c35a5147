package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists the apps, each with its status now.
package struct ListApps: ServerAction {
    package static let role: OperatorRole? = nil

    package init() {}

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> [(id: AppID, status: LaunchingStatus, name: String)] {
        try await services.database.read { tx in try AppQueries.apps(in: tx) }
            .map { ($0.id, $0.currentStatus(at: moment), $0.name) }
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
