import GatehouseSecurity
import GatehouseWire

@testable import GatehouseServer

extension World {
    /// Runs the jobs that are due, as any node would.
    ///
    /// - Parameter pages: rows of a transaction of the job that forgets profiles, and transactions of one job.
    @discardableResult
    func runJobs(pages: (rows: Int, perJob: Int)? = nil) async throws -> Int {
        let environment = clock.environment(idps)
        let vault = try KeyVault(masterKey: Self.vaultKey)
        var runner = JobRunner(
            database: database, providers: IdentityProviders(environment: environment, vault: vault), vault: vault,
            random: .live, audit: audit.log)
        if let pages { (runner.profilesPerTransaction, runner.transactionsPerJob) = pages }
        return try await runner.run(at: clock.now)
    }
}
