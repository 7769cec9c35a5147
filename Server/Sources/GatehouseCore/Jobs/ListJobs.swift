package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists the jobs of the outbox, newest first.
package struct ListJobs: ServerAction {
    /// Nil for those in any state.
    let state: JobRecord.State?
    let limit: Int

    package init(state: JobRecord.State?, limit: Int) {
        self.state = state
        self.limit = limit
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [JobRecord] {
        try await services.database.report { tx in
            try JobQueries.jobs(in: state, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}
