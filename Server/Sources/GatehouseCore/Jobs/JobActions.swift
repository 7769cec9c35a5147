import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

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

/// Finds a job of an app; nil if there is no such job.
package struct FindJob: Report {
    let id: String

    package init(id: String) {
        self.id = id
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> JobRecord? {
        try JobQueries.job(id, of: view.app.id, in: tx)
    }
}

/// Runs a job that waits for its next attempt now.
package struct RetryJob: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact { [id] change, tx in
            guard try JobQueries.hasten(id, of: change.app.id, to: change.moment, in: tx) else {
                throw JobRules.isOver
            }
            try change.record(.jobRetried, ["jobId": id], in: tx)
            return Empty()
        }
    }
}

/// Gives up a job that waits. Its parameters are deleted, so it can't be run again.
package struct GiveUpJob: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact { [id] change, tx in
            guard let job = try JobQueries.waiting(id, of: change.app.id, in: tx) else { throw JobRules.isOver }
            try JobRules.record(.dead, of: job, change, in: tx)
            let error = "given up by \(change.origin.name ?? "an operator")"
            guard
                try JobQueries.end(
                    id, of: change.app.id, after: job.attempts, state: .dead, error: error, at: change.moment, in: tx)
            else { throw StorageError.conflict }
            try change.record(.jobGivenUp, ["jobId": id], in: tx)
            return Empty()
        }
    }
}

extension JobRules {
    fileprivate static var isOver: Refusal {
        .parameter("job", "The job waits no more: it is done, or was given up.")
    }
}
