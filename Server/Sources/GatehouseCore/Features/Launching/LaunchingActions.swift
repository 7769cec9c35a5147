import GatehouseProviders
package import GatehouseSecurity
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
            Self.information(try LaunchingRules.status(of: view.app, device: key, at: view.moment, in: tx), view)
        }
    }

    fileprivate static func information(_ status: LaunchingStatus, _ view: Viewpoint) -> LaunchingInformation {
        let app = view.app
        var providers = app.providers.filter(\.value.isEnabled).mapValues(\.published)
        providers[.guest] = ProviderSettings()
        return LaunchingInformation(
            appId: app.id, status: status, isPlayable: status.isPlayable, message: LaunchingRules.message(view),
            maintenance: LaunchingRules.maintenance(view), providers: providers,
            language: view.languages.first ?? app.defaultLanguage, heartbeatSeconds: LaunchingRules.heartbeatSeconds,
            serverDate: view.moment.milliseconds)
    }
}

/// Shows an operator what players get, by the rules that answer them.
package struct PreviewLaunching: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// The app after a change that is not made yet; nil for the app as it is.
    let app: App?
    /// The preferred languages of the device.
    let languages: [String]
    /// Nil for now.
    let moment: Moment?
    let isTestDevice: Bool

    package init(of app: App? = nil, languages: [String], at moment: Moment? = nil, isTestDevice: Bool = false) {
        self.app = app
        self.languages = languages
        self.moment = moment
        self.isTestDevice = isTestDevice
    }

    package struct Outcome: Sendable {
        package let information: LaunchingInformation
        /// What a player reads who tries to log in; nil if there is nothing to say.
        package let message: String?
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let view = Viewpoint(app: app ?? work.app, languages: languages, moment: moment ?? work.moment)
        let forEveryone = LaunchingRules.statusForEveryone(of: view.app, at: view.moment)
        let status = isTestDevice ? LaunchingRules.statusForTestDevice(forEveryone) : forEveryone
        return Outcome(
            information: ReadLaunchingInformation.information(status, view),
            message: StandingRules.standing(status: status, member: .normal, view).message)
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
