import Foundation
import GatehouseStorage
import GatehouseWire

/// Whether an app is in service, and what its players are told (START-2, START-3).
enum LaunchingRules {
    static let heartbeatSeconds = 120

    /// The app's status for one device at one moment. A maintenance window counts only while it is open; a terminated app
    /// and one that requires an update stay so during maintenance (Gamebase: "Update Required wins over maintenance").
    static func status(
        of app: App, device: KeyThumbprint?, at moment: Moment, in tx: Transaction
    ) throws -> LaunchingStatus {
        let status = statusForEveryone(of: app, at: moment)
        guard !status.isPlayable, let device, try AppQueries.isTestDevice(device, app: app.id, in: tx) else {
            return status
        }
        return .inServiceForTestDevices
    }

    /// The same outside of a transaction: in service, there is nothing to ask the database for.
    static func status(
        of app: App, device: KeyThumbprint?, at moment: Moment, in database: Database
    ) async throws -> LaunchingStatus {
        let status = statusForEveryone(of: app, at: moment)
        guard !status.isPlayable else { return status }
        return try await database.read { tx in try self.status(of: app, device: device, at: moment, in: tx) }
    }

    private static func statusForEveryone(of app: App, at moment: Moment) -> LaunchingStatus {
        guard app.status.isPlayable else { return app.status }
        return openMaintenance(of: app, at: moment) == nil ? app.status : .maintenance
    }

    private static func openMaintenance(of app: App, at moment: Moment) -> App.MaintenanceWindow? {
        guard let window = app.maintenance, window.begin <= moment, moment < window.end else { return nil }
        return window
    }

    /// Refuses with 3701 unless the app is in service or the device is a test device.
    static func requirePlayable(
        _ app: App, device: KeyThumbprint, languages: [String], at moment: Moment, in tx: Transaction
    ) throws -> LaunchingStatus {
        let status = try status(of: app, device: device, at: moment, in: tx)
        guard !status.isPlayable else { return status }
        var details: [String: JSONValue] = [ErrorDetail.launchingStatus: .integer(Int64(status.rawValue))]
        if let window = maintenance(of: app, languages: languages, at: moment) {
            var value: [String: JSONValue] = [
                "beginDate": .integer(window.beginDate), "endDate": .integer(window.endDate),
            ]
            if let message = window.message { value["message"] = .string(message) }
            if let url = window.url { value["url"] = .string(url) }
            details[ErrorDetail.maintenance] = .object(value)
        }
        let message = message(of: app, languages: languages, at: moment)
        throw Refusal(.authNotPlayable, message ?? "The app is not in service: \(status.name).", details: details)
    }

    static func standing(
        of app: App, status: LaunchingStatus, member: MemberStatus, languages: [String], at moment: Moment
    ) -> Standing {
        Standing(
            isPlayable: status.isPlayable, launchingStatus: status, memberStatus: member,
            message: message(of: app, languages: languages, at: moment))
    }

    static func information(
        of app: App, device: KeyThumbprint?, languages: [String], at moment: Moment, in tx: Transaction
    ) throws -> LaunchingInformation {
        let status = try status(of: app, device: device, at: moment, in: tx)
        return LaunchingInformation(
            appId: app.id, status: status, isPlayable: status.isPlayable,
            message: message(of: app, languages: languages, at: moment),
            maintenance: maintenance(of: app, languages: languages, at: moment),
            providers: [.guest: ProviderSettings()],
            language: languages.first ?? app.defaultLanguage, heartbeatSeconds: heartbeatSeconds,
            serverDate: moment.milliseconds)
    }

    /// What the player should read now: the open maintenance's text, or that of a status which has one.
    private static func message(of app: App, languages: [String], at moment: Moment) -> String? {
        if let window = openMaintenance(of: app, at: moment),
            let text = window.message.text(preferring: languages, fallback: app.defaultLanguage)
        {
            return text
        }
        return app.statusMessage.text(preferring: languages, fallback: app.defaultLanguage)
    }

    /// The maintenance that is open or announced.
    private static func maintenance(of app: App, languages: [String], at moment: Moment) -> Maintenance? {
        guard let window = app.maintenance, moment < window.end else { return nil }
        return Maintenance(
            beginDate: window.begin.milliseconds, endDate: window.end.milliseconds,
            message: window.message.text(preferring: languages, fallback: app.defaultLanguage), url: window.url)
    }
}
