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
        let (key, context) = (work.actor.key, work.context)
        return try await work.read { tx in
            Self.information(try LaunchingRules.status(context, device: key, in: tx), context)
        }
    }

    static func information(_ status: LaunchingStatus, _ context: CallContext) -> LaunchingInformation {
        let app = context.app
        var providers = app.providers.filter(\.value.isEnabled).mapValues(\.published)
        providers[.guest] = ProviderSettings()
        return LaunchingInformation(
            appId: app.id, status: status, isPlayable: status.isPlayable, message: LaunchingRules.message(context),
            maintenance: LaunchingRules.maintenance(context), providers: providers,
            language: context.languages.first ?? app.defaultLanguage, heartbeatSeconds: LaunchingRules.heartbeatSeconds,
            serverDate: context.moment.milliseconds, updateURL: LaunchingRules.decidingRule(context)?.updateURL)
    }
}

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
        let context = CallContext(
            app: work.app, languages: work.context.languages, moment: work.moment, clientHeader: client?.headerValue)
        return Outcome(
            status: LaunchingRules.statusForEveryone(context), message: LaunchingRules.message(context),
            window: context.app.openMaintenance(at: context.moment), policy: context.app.policy,
            updateURL: LaunchingRules.decidingRule(context)?.updateURL)
    }
}

/// Shows an operator what players get, by the rules that answer them.
package struct PreviewLaunching: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// The preferred languages of the device.
    let languages: [String]
    /// Nil for now.
    let moment: Moment?
    let isTestDevice: Bool
    /// What the device says of itself; nil for one that says nothing.
    let client: ClientInformation?

    package init(
        languages: [String], at moment: Moment? = nil, isTestDevice: Bool = false, client: ClientInformation? = nil
    ) {
        self.languages = languages
        self.moment = moment
        self.isTestDevice = isTestDevice
        self.client = client
    }

    package struct Outcome: Sendable {
        package let information: LaunchingInformation
        /// What a player reads who tries to log in; nil if there is nothing to say.
        package let message: String?
        /// The first rule that matches the client; nil if none does.
        package let rule: ClientRule?
        /// Whether the rule decides. If not, the app is closed for everyone.
        package let ruleDecides: Bool
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let context = CallContext(
            app: work.app, languages: languages, moment: moment ?? work.moment,
            clientHeader: client?.headerValue)
        return Self.outcome(context, isTestDevice: isTestDevice)
    }

    static func outcome(_ context: CallContext, isTestDevice: Bool = false) -> Outcome {
        let forEveryone = LaunchingRules.statusForEveryone(context)
        let status = isTestDevice ? LaunchingRules.statusForTestDevice(forEveryone) : forEveryone
        return Outcome(
            information: ReadLaunchingInformation.information(status, context),
            message: StandingRules.standing(status: status, member: .normal, context).message, rule: context.clientRule,
            ruleDecides: LaunchingRules.decidingRule(context) != nil)
    }
}
