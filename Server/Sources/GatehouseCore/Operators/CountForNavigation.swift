package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Counts what the console's navigation shows beside its pages. Each count ends at ``most``, so that it costs the same in every app.
package struct CountForNavigation: ServerAction {
    package static let role: OperatorRole? = nil
    /// The count that means "and perhaps more".
    package static let most = 100

    let app: AppID?

    /// - Parameter app: nil for the numbers of the server alone.
    package init(app: AppID?) {
        self.app = app
    }

    package struct Outcome: Sendable, Equatable {
        /// The bans in effect.
        package var bans = 0
        /// The members whose withdrawal is pending.
        package var withdrawals = 0
        /// The jobs that wait, of all apps.
        package var jobs = 0
        /// Whether players were ever imported into the app.
        package var hasImports = false

        package init() {}
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await services.database.read { [app] tx in
            var counts = Outcome()
            counts.jobs = try JobQueries.countWaiting(limit: Self.most, in: tx)
            guard let app else { return counts }
            counts.bans = try BanRules.countInForce(at: moment, app: app, limit: Self.most, in: tx)
            counts.withdrawals = try MemberQueries.withdrawing(from: app, limit: Self.most, in: tx).count
            counts.hasImports = try ImportRules.hasRuns(of: app, in: tx)
            return counts
        }
    }
}
