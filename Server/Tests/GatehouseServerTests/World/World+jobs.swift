import GatehouseWire

@testable import GatehouseServer

extension World {
    /// Runs the due jobs, as any node would.
    @discardableResult
    func runJobs() async throws -> Int {
        let environment = clock.environment(idps)
        let vault = try KeyVault(masterKey: Self.vaultKey)
        return try await JobRunner(
            database: database, providers: IdentityProviders(environment: environment, vault: vault), vault: vault,
            random: .live, audit: audit.log
        ).run(at: clock.now)
    }
}
