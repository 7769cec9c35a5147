import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads what may wait for an operator of an app: failed jobs, secret keys, signing keys, and providers that nobody has tested.
package struct ReadStanding: Report {
    /// The jobs that are looked through.
    private static let jobs = 1_000

    package init() {}

    package struct Outcome: Sendable, Hashable {
        /// Jobs of the app that were given up, among the newest of the server.
        package let deadJobs: Int
        /// When the app's own valid secret keys were made, the oldest first.
        package let secrets: [Moment]
        /// Since when the present signing key signs; nil if none does.
        package let signsSince: Moment?
        /// Whether the app has ever had a player.
        package let hasMembers: Bool
        /// The identities that imports of the last days have brought, by their providers.
        package var imported: [Provider: Int] = [:]
        /// The identity providers whose present settings have passed their test.
        package var tested: Set<Provider> = []
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Outcome {
        let (app, moment) = (view.app.id, view.moment)
        let passed = try ProviderTestQueries.tests(of: app, in: tx).filter { provider, test in
            test.isPassed(by: view.app.providers[provider])
        }
        return Outcome(
            deadJobs: try JobQueries.countDead(of: app, among: Self.jobs, in: tx),
            secrets: try SecretQueries.secrets(of: app, in: tx).filter { $0.name == nil }.map(\.createdAt).sorted(),
            signsSince: try KeyQueries.keys(of: app, in: tx).map { Moment(milliseconds: $0.activeAt) }
                .filter { $0 <= moment }.max(),
            hasMembers: try !MemberQueries.list(of: app, status: nil, after: nil, limit: 1, in: tx).isEmpty,
            imported: try ImportRules.importedIdentities(of: app, at: moment, in: tx), tested: Set(passed.keys))
    }
}
