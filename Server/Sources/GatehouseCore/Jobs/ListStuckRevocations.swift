import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists an app's revocations of tokens at identity providers that have failed so far, newest first.
package struct ListStuckRevocations: Report {
    let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [JobRecord] {
        let (app, count) = (view.app.id, max(1, min(limit, 1_000)))
        return try JobQueries.stuck(.revokeTokens, of: app, limit: count, in: tx)
    }
}
