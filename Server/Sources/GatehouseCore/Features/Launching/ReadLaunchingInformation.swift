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
        return try await work.read { tx in
            Self.information(try LaunchingRules.status(view, device: key, in: tx), view)
        }
    }

    static func information(_ status: LaunchingStatus, _ view: Viewpoint) -> LaunchingInformation {
        let app = view.app
        var providers = app.providers.filter(\.value.isEnabled).mapValues(\.published)
        providers[.guest] = ProviderSettings()
        return LaunchingInformation(
            appId: app.id, status: status, isPlayable: status.isPlayable, message: LaunchingRules.message(view),
            maintenance: LaunchingRules.maintenance(view), providers: providers,
            language: view.languages.first ?? app.defaultLanguage, heartbeatSeconds: LaunchingRules.heartbeatSeconds,
            serverDate: view.moment.milliseconds, updateURL: LaunchingRules.decidingRule(view)?.updateURL)
    }
}
