import GatehouseSecurity
import GatehouseWire

@testable import GatehouseCore
@testable import GatehouseServer

extension World {
    typealias Fetch = @Sendable (OutgoingRequest) async throws -> OutgoingResponse

    /// The actions of another process on the same database, without its doors.
    ///
    /// - Parameter fetch: how it reaches the providers, given the usual way.
    func actions(fetching fetch: @escaping @Sendable (OutgoingRequest, Fetch) async throws -> OutgoingResponse) throws
        -> Actions
    {
        var environment = clock.environment(idps)
        let usual = environment.fetch
        environment.fetch = { request in try await fetch(request, usual) }
        return Actions(
            services: Services(
                database: database, vault: try KeyVault(masterKey: Self.vaultKey), environment: environment,
                reporter: EventReporter(audit: audit.log)))
    }
}

extension Actions {
    /// The context of a call at this moment.
    func context(in world: World) async throws -> ActionContext {
        let entry = try await services.directory.entry(World.app)
        return ActionContext(view: Viewpoint(app: entry.app, moment: world.clock.now), keys: entry.keys)
    }
}
