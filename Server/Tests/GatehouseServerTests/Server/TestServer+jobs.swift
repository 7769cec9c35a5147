import GatehouseSecurity
import GatehouseWire

@testable import GatehouseCore
@testable import GatehouseServer

extension TestServer {
    /// Runs the jobs that are due, as any node would.
    @discardableResult
    func runJobs() async throws -> Int { try await JobRunner(services: try services()).run() }
}
