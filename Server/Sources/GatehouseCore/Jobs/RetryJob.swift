import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Runs a job that waits for its next attempt now.
package struct RetryJob: OperatorAction {
    package static let about = OperatorActionAbout(
        "job.retried", role: .operator, step: .confirmed, section: "withdrawals", subject: .job)

    let id: String

    package init(on target: DeedTarget) throws {
        id = try target.requireJob()
    }

    package var subject: DeedTarget { .job(id) }

    package init(id: String) {
        self.id = id
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let job = try JobRules.waiting(id, view, in: tx)
        return Preview(
            "jobs.retry-title", [job.attemptsSoFar, Phrase("jobs.retry-now", ["next": .moment(job.nextAt)])],
            undo: "jobs.retry-undo")
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
