package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Runs actions. This is the only way from a door to the rules.
package struct Actions: Sendable {
    package let services: Services

    package init(services: Services) {
        self.services = services
    }

    package func run<A: Action>(
        _ action: A, by actor: Actor, once: Once = .never, in context: ActionContext
    ) async throws -> A.Outcome {
        try actor.require(A.permission, as: A.role)
        var services = services
        if let asker = actor.asker(in: context.view.app.id) { services.database = services.database.asked(by: asker) }
        let recorder = DeedRecorder.of(
            action.audited, by: actor, app: context.view.app.id, at: context.view.moment, random: services.random,
            address: context.address, transactionID: context.transactionID)
        let work = Work(services: services, actor: actor, once: once, context: context, recorder: recorder)
        for limit in A.limits { try work.admit(limit) }
        return try await action.perform(work)
    }

    package func run<A: ServerAction>(_ action: A, by actor: Actor, at moment: Moment) async throws -> A.Outcome {
        try actor.require(A.self)
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
