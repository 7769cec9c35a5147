import GatehouseWire

@testable import GatehouseServer

extension World {
    /// Runs the jobs that are due, as any node would.
    @discardableResult
    func runJobs() async throws -> Int {
        let environment = clock.environment(idps)
        return try await JobRunner(
            database: database, providers: IdentityProviders(environment: environment),
            vault: KeyVault(masterKey: Self.vaultKey), random: .live, audit: audit.log
        ).run(at: clock.now)
    }
}
