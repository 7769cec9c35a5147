package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Creates an app with its first secret key, which is returned only here.
package struct CreateApp: ServerAction {
    let id: AppID
    let name: String

    package init(id: AppID, name: String) {
        self.id = id
        self.name = name
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> SecretKey {
        let (random, vault) = (services.random, services.vault)
        let (secret, events) = try await services.database.transact { tx in
            let (app, secret) = try AppRules.create(id, name: name, vault: vault, at: moment, random: random, in: tx)
            let change = Change(
                Viewpoint(app: app, moment: moment), by: actor.origin, random: random, vault: vault)
            try change.record(.created, in: tx)
            return (secret, change.events)
        }
        services.reporter.report(events)
        return secret
    }
}

/// Lists the apps.
package struct ListApps: ServerAction {
    package static let role: OperatorRole? = nil

    package init() {}

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> [(id: AppID, status: LaunchingStatus, name: String)] {
        try await services.database.read { tx in try AppQueries.apps(in: tx) }.map { ($0.id, $0.status, $0.name) }
    }
}

/// Sets an app's status, and what players read about it, by language.
package struct SetStatus: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let status: LaunchingStatus
    let message: [String: String]

    package init(status: LaunchingStatus, message: [String: String]) {
        self.status = status
        self.message = message
    }

    package func perform(_ work: Work) async throws {
        try await work.changeApp(.statusSet) { app, _ in
            app.status = status
            app.statusMessage = LocalizedText(message)
        }
    }
}

/// Sets an app's maintenance window, or removes it when `end` is nil.
package struct SetMaintenance: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// Nil for a window that begins now.
    let begin: Moment?
    let end: Moment?
    /// What players read, by language.
    let message: [String: String]
    let url: String?
    /// The reason as one word, for game servers.
    let reason: String?

    package init(begin: Moment?, end: Moment?, message: [String: String], url: String?, reason: String? = nil) {
        self.begin = begin
        self.end = end
        self.message = message
        self.url = url
        self.reason = reason
    }

    package func perform(_ work: Work) async throws {
        try await work.changeApp(.maintenanceSet) { app, moment in
            if let end, end <= moment {
                throw Refusal.parameter("end", "The end of the maintenance must lie ahead.")
            }
            app.maintenance = end.map {
                .init(begin: begin ?? moment, end: $0, message: LocalizedText(message), url: url, reason: reason)
            }
        }
    }
}

/// Changes an app's limits, and returns the new ones.
package struct ChangeLimits: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let change: @Sendable (inout AppLimits) -> Void

    package init(change: @escaping @Sendable (inout AppLimits) -> Void) {
        self.change = change
    }

    package func perform(_ work: Work) async throws -> AppLimits {
        try await work.changeApp(.limitsSet) { app, _ in change(&app.limits) }.limits
    }
}

/// Changes the policy of an app's accounts, and returns the new one.
package struct ChangeAccountPolicy: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// The language of messages that are not available in the player's; nil to leave it as it is.
    let defaultLanguage: String?
    let change: @Sendable (inout AccountPolicy) throws -> Void

    package init(
        defaultLanguage: String? = nil, change: @escaping @Sendable (inout AccountPolicy) throws -> Void
    ) {
        self.defaultLanguage = defaultLanguage
        self.change = change
    }

    package func perform(_ work: Work) async throws -> AccountPolicy {
        try await work.changeApp(.policySet) { app, _ in
            if let defaultLanguage { app.defaultLanguage = defaultLanguage }
            try change(&app.policy)
        }.policy
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

extension Work {
    /// Changes the app, and returns the new version. A change without effect is not recorded.
    @discardableResult
    fileprivate func changeApp(
        _ event: AppEvent, _ body: @escaping @Sendable (inout App, Moment) throws -> Void
    ) async throws -> App {
        try await transact { change, tx in
            var before: App?
            let after = try AppRules.change(change.app.id, in: tx) { app in
                before = app
                try body(&app, change.moment)
            }
            if after != before { try change.record(event, in: tx) }
            return after
        }
    }
}
