package import GatehouseSecurity
package import GatehouseWire

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
        let view = Viewpoint(
            app: work.app, languages: languages, moment: moment ?? work.moment,
            clientHeader: client?.headerValue)
        return Self.outcome(view, isTestDevice: isTestDevice)
    }

    static func outcome(_ view: Viewpoint, isTestDevice: Bool = false) -> Outcome {
        let forEveryone = LaunchingRules.statusForEveryone(view)
        let status = isTestDevice ? LaunchingRules.statusForTestDevice(forEveryone) : forEveryone
        return Outcome(
            information: ReadLaunchingInformation.information(status, view),
            message: StandingRules.standing(status: status, member: .normal, view).message, rule: view.clientRule,
            ruleDecides: LaunchingRules.decidingRule(view) != nil)
    }
}
