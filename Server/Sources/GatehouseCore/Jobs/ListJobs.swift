package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists the jobs of the outbox, newest first.
package struct ListJobs: ServerAction {
    package static let role: OperatorRole? = .viewer

    /// Nil for those in any state.
    let state: JobRecord.State?
    /// The last job of the page before.
    let last: String?
    let limit: Int

    package init(state: JobRecord.State?, before last: String? = nil, limit: Int = 100) {
        self.state = state
        self.last = last
        self.limit = limit
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [JobRecord] {
        let vault = services.vault
        return try await services.database.report { tx in
            let jobs = try JobQueries.jobs(in: state, before: last, limit: max(1, min(limit, 1_000)), in: tx)
            return try JobRules.named(jobs, vault: vault, in: tx)
        }
    }
}
