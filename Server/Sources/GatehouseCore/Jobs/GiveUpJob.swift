import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Gives up a job that waits. Its parameters are deleted, so it can't be run again.
package struct GiveUpJob: OperatorAction {
    package static let about = OperatorActionAbout(
        "job.given-up", role: .operator, step: .confirmed, section: "withdrawals", subject: .job)

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
        var preview = Preview(
            "jobs.give-up-title", [job.attemptsSoFar, "jobs.give-up-what"], undo: "jobs.give-up-undo")
        preview.isDangerous = true
        return preview
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
