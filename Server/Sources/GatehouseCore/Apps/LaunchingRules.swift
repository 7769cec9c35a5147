import Foundation
import GatehouseJSON
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Whether an app is in service, and the message to its players (START-2, START-3).
enum LaunchingRules {
    static let heartbeatSeconds = 120

    /// The app's status for one device at one moment. A maintenance window counts only while it is open; a terminated app
    /// and one that requires an update stay so during maintenance (Gamebase: "Update Required wins over maintenance").
    static func status(
        of app: App, device: KeyThumbprint?, at moment: Moment, in tx: Reader
    ) throws -> LaunchingStatus {
        let status = statusForEveryone(of: app, at: moment)
        guard !status.isPlayable, let device, try AppQueries.isTestDevice(device, app: app.id, in: tx) else {
            return status
        }
        return .inServiceForTestDevices
    }

    /// The app's status outside of a transaction. If the app is in service, no query is needed.
    static func status(
        of app: App, device: KeyThumbprint?, at moment: Moment, in database: Database
    ) async throws -> LaunchingStatus {
        let status = statusForEveryone(of: app, at: moment)
        guard !status.isPlayable else { return status }
        return try await database.read { tx in try self.status(of: app, device: device, at: moment, in: tx) }
    }

    static func statusForEveryone(of app: App, at moment: Moment) -> LaunchingStatus {
        guard app.status.isPlayable else { return app.status }
        return openMaintenance(of: app, at: moment) == nil ? app.status : .maintenance
    }

    static func openMaintenance(of app: App, at moment: Moment) -> App.MaintenanceWindow? {
        guard let window = app.maintenance, window.begin <= moment, moment < window.end else { return nil }
        return window
    }

    /// Refuses with 3701 unless the app is in service or the device is a test device.
    static func requirePlayable(
        device: KeyThumbprint, _ view: Viewpoint, in tx: Reader
    ) throws -> LaunchingStatus {
        let status = try status(of: view.app, device: device, at: view.moment, in: tx)
        guard !status.isPlayable else { return status }
        let standing = StandingRules.standing(status: status, member: .normal, view)
        var details: [String: JSONValue] = [
            ErrorDetail.launchingStatus: .integer(Int64(status.rawValue)),
            ErrorDetail.standing: try JSONValue(encoding: standing),
        ]
        if let window = maintenance(view) { details[ErrorDetail.maintenance] = try JSONValue(encoding: window) }
        throw Refusal(
            .authNotPlayable, standing.message ?? "The app is not in service: \(status.name).", details: details)
    }

    static func information(
        device: KeyThumbprint?, _ view: Viewpoint, in tx: Reader
    ) throws -> LaunchingInformation {
        let app = view.app
        let status = try status(of: app, device: device, at: view.moment, in: tx)
        var providers = app.providers.filter(\.value.isEnabled).mapValues(\.published)
        providers[.guest] = ProviderSettings()
        return LaunchingInformation(
            appId: app.id, status: status, isPlayable: status.isPlayable, message: message(view),
            maintenance: maintenance(view), providers: providers,
            language: view.languages.first ?? app.defaultLanguage, heartbeatSeconds: heartbeatSeconds,
            serverDate: view.moment.milliseconds)
    }

    /// What the player should read now: the text of the current maintenance, or of a status that has one.
    static func message(_ view: Viewpoint) -> String? {
        if let window = openMaintenance(of: view.app, at: view.moment), let text = view.text(window.message) {
            return text
        }
        return view.text(view.app.statusMessage)
    }

    /// The current or announced maintenance.
    private static func maintenance(_ view: Viewpoint) -> Maintenance? {
        guard let window = view.app.maintenance, view.moment < window.end else { return nil }
        return Maintenance(
            beginDate: window.begin.milliseconds, endDate: window.end.milliseconds, message: view.text(window.message),
            url: window.url, reason: window.reason)
    }
}
