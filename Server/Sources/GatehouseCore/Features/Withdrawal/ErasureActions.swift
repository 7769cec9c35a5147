package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads a page of the steps of withdrawals in every app, in chronological order.
package struct ListErasures: ServerAction {
    /// Where the page begins (``AuditRules/beginning(at:)``, or the next page of the previous answer).
    let place: String
    let limit: Int

    package init(place: String, limit: Int) {
        self.place = place
        self.limit = limit
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> (erasures: [Erasure], next: String?) {
        try await services.database.report { tx in try ErasureRules.steps(after: place, limit: limit, in: tx) }
    }
}

/// Repeats a step of a withdrawal that was exported from a newer copy of this database.
package struct ReplayErasure: Action {
    package static let permission = Permission.administer

    let erasure: Erasure

    package init(erasure: Erasure) {
        self.erasure = erasure
    }

    package func perform(_ work: Work) async throws -> ErasureOutcome {
        try await work.transact { change, tx in try ErasureRules.replay(erasure, change, in: tx) }
    }
}
