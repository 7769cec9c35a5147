import GatehouseSecurity
import GatehouseServerWire
package import GatehouseWire

/// Reads an app's status for a game server: the maintenance that is open now, and what players should read.
package struct ReadServiceStatus: Action {
    package static let permission = Permission.serve(.check)

    /// The client that the game server asks for; nil for the status of the app itself.
    let client: ClientInformation?

    package init(client: ClientInformation? = nil) {
        self.client = client
    }

    package struct Outcome: Sendable {
        package let status: LaunchingStatus
        package let message: String?
        /// The open maintenance.
        package let window: App.MaintenanceWindow?
        package let policy: AccountPolicy
        /// Where a player finds another version of the client.
        package let updateURL: String?
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let view = Viewpoint(
            app: work.app, languages: work.view.languages, moment: work.moment, clientHeader: client?.headerValue)
        return Outcome(
            status: LaunchingRules.statusForEveryone(view), message: LaunchingRules.message(view),
            window: view.app.openMaintenance(at: view.moment), policy: view.app.policy,
            updateURL: LaunchingRules.decidingRule(view)?.updateURL)
    }
}
