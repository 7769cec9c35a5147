import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists an app's revocations of tokens at identity providers that have failed so far, newest first.
package struct ListStuckRevocations: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [JobRecord] {
        let (app, count, vault) = (work.app.id, max(1, min(limit, 1_000)), work.services.vault)
        return try await work.report { tx in
            let jobs = try JobQueries.stuck(.revokeTokens, of: app, limit: count, in: tx)
            return try JobRules.named(jobs, vault: vault, in: tx)
        }
    }
}
