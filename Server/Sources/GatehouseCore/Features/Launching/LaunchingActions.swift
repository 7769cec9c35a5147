import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Reads what a game fetches before anyone logs in.
package struct ReadLaunchingInformation: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> LaunchingInformation {
        let (key, view) = (work.actor.key, work.view)
        return try await work.read { tx in try LaunchingRules.information(device: key, view, in: tx) }
    }
}

/// Reads an app's status for everyone, for a game server: the maintenance that is open now, and what players should read.
package struct ReadServiceStatus: Action {
    package static let permission = Permission.serve(.check)

    package init() {}

    package struct Outcome: Sendable {
        package let status: LaunchingStatus
        package let message: String?
        /// The open maintenance.
        package let window: App.MaintenanceWindow?
        package let policy: AccountPolicy
    }

    package func perform(_ work: Work) async throws -> Outcome {
        Outcome(
            status: StandingRules.launchingStatus(work.view), message: LaunchingRules.message(work.view),
            window: LaunchingRules.openMaintenance(of: work.app, at: work.moment), policy: work.app.policy)
    }
}
