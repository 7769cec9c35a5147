package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// A use case that concerns no app in particular: the whole server, or an app that does not exist yet. Only operators have them.
package protocol ServerAction: Sendable {
    associatedtype Outcome: Sendable

    /// The least role on the server of a person at the console. Nil for what needs none, such as the own account.
    static var role: OperatorRole? { get }

    func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome
}

extension ServerAction {
    package static var role: OperatorRole? { .owner }
}

extension Actions {
    package func run<A: ServerAction>(_ action: A, by actor: Actor, at moment: Moment) async throws -> A.Outcome {
        if let role = A.role { try actor.require(.administer, as: role) } else { try actor.requireOperator() }
        var services = services
        if let asker = actor.asker(in: nil) { services.database = services.database.asked(by: asker) }
        return try await action.perform(services, by: actor, at: moment)
    }

    /// The context of an operator's action on an app, as the database has the app now.
    package func context(of id: AppID, at moment: Moment) async throws -> ActionContext {
        guard let app = try await services.database.read({ tx in try AppQueries.app(id, in: tx) }) else {
            throw AppRules.unknownApp
        }
        return ActionContext(
            view: Viewpoint(app: app, moment: moment), keys: SigningKeySet(keys: [], tokenLifetimeSeconds: 0))
    }
}
