import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Reads what a game fetches before anyone logs in.
package struct ReadLaunchingInformation: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> LaunchingInformation {
        let (key, view) = (work.actor.key, work.view)
        return try await work.read { tx in try Self.information(device: key, view, in: tx) }
    }

    private static func information(
        device: KeyThumbprint?, _ view: Viewpoint, in tx: Reader
    ) throws -> LaunchingInformation {
        let app = view.app
        let status = try LaunchingRules.status(of: app, device: device, at: view.moment, in: tx)
        var providers = app.providers.filter(\.value.isEnabled).mapValues(\.published)
        providers[.guest] = ProviderSettings()
        return LaunchingInformation(
            appId: app.id, status: status, isPlayable: status.isPlayable, message: LaunchingRules.message(view),
            maintenance: LaunchingRules.maintenance(view), providers: providers,
            language: view.languages.first ?? app.defaultLanguage, heartbeatSeconds: LaunchingRules.heartbeatSeconds,
            serverDate: view.moment.milliseconds)
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
            status: LaunchingRules.statusForEveryone(of: work.app, at: work.moment),
            message: LaunchingRules.message(work.view),
            window: LaunchingRules.openMaintenance(of: work.app, at: work.moment), policy: work.app.policy)
    }
}
