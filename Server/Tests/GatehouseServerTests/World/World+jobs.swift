import GatehouseSecurity
import GatehouseWire

@testable import GatehouseCore
@testable import GatehouseServer

extension World {
    /// Runs the jobs that are due, as any node would.
    ///
    /// - Parameter pages: rows of a transaction of the job that forgets profiles, and transactions of one job.
    @discardableResult
    func runJobs(pages: (rows: Int, perJob: Int)? = nil) async throws -> Int {
        var runner = JobRunner(services: try services())
        if let pages { (runner.profilesPerTransaction, runner.transactionsPerJob) = pages }
        return try await runner.run()
    }
}
