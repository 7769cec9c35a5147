package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads a page of the steps of withdrawals in every app, in chronological order.
package struct ListErasures: ServerAction {
    /// Where the page begins.
    private let place: String

    /// The steps since a moment. Steps up to ten minutes older may be included.
    package init(since moment: Moment) {
        place = AuditRules.beginning(ofListSince: moment)
    }

    /// - Parameter place: where the previous page has ended.
    package init(after place: String) {
        self.place = place
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> (erasures: [Erasure], next: String?) {
        try await services.database.report { tx in
            try ErasureRules.steps(after: place, limit: AuditRules.pageSize, in: tx)
        }
    }
}
