import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Finds refused calls by the transaction id that a player's error shows, newest first.
package struct FindRefusals: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    private static let limit = 20
    let transactionID: String

    package init(transactionID: String) {
        self.transactionID = transactionID
    }

    package func perform(_ work: Work) async throws -> [RefusedCall] {
        let app = work.app.id
        return try await work.reportRefusals { tx in
            try RefusalQueries.calls(withTransaction: transactionID, app: app, limit: Self.limit, in: tx)
        }
    }
}

/// Reads one refused call; nil if none is kept.
package struct ReadRefusal: Report {
    let id: String

    package init(id: String) {
        self.id = id
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> RefusedCall? {
        try RefusalQueries.call(id, app: view.app.id, in: tx)
    }
}

/// Lists refused calls, newest first: those of a member, or of the whole app.
package struct ListRefusals: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID?
    /// The last row of the page before.
    let before: String?
    let limit: Int

    package init(of user: UserID? = nil, before: String? = nil, limit: Int) {
        self.user = user
        self.before = before
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [RefusedCall] {
        let app = work.app.id
        let count = max(1, min(limit, 1_000))
        return try await work.reportRefusals { tx in
            if let user { return try RefusalQueries.calls(of: user, app: app, limit: count, in: tx) }
            return try RefusalQueries.calls(of: app, before: before, limit: count, in: tx)
        }
    }
}

extension Work {
    /// Reads refused calls after this node has written its newest, so that an operator does not have to wait for the next batch.
    func reportRefusals<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        // If they can't be written now, the older ones can still be read.
        _ = try? await services.refusals.write(with: services)
        return try await services.database.report(body)
    }
}
