import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Runs the jobs of one kind that have failed and wait for another attempt now: a provider that did not answer does so again.
package struct RetryFailedJobs: OperatorAction {
    package static let about = OperatorActionAbout(
        "jobs.retried", role: .operator, step: .confirmed, section: "withdrawals", subject: .app)
    package static let inputs: [Input<Self>] = [
        Input { action, values, _ in action.kind = values.text("kind").map { JobKind($0) } ?? action.kind }
    ]

    /// The most jobs of one call.
    static let most = 1_000
    /// The number of jobs that a confirmation shows.
    private static let shown = 20

    private var kind = JobKind.revokeTokens

    package init(on target: DeedTarget) {}

    package init(kind: JobKind = .revokeTokens) {
        self.kind = kind
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let jobs = try JobQueries.failed(kind, of: view.app, after: view.moment, limit: Self.most, in: tx)
        guard let first = jobs.first else {
            throw ImpossibleAction(phrase: "problem.no-failed-jobs", parameter: "kind")
        }
        var preview = Preview(
            Phrase("jobs.retry-all-title", ["count": .count(jobs.count)]),
            [
                Phrase("jobs.retry-all-what", ["count": .count(jobs.count), "kind": .kind(of: first)]),
                "jobs.retry-all-attempts",
            ], undo: "jobs.retry-undo")
        if jobs.count == Self.most { preview.consequences.append("jobs.retry-all-most") }
        let examples = try JobRules.named(Array(jobs.prefix(Self.shown)), vault: view.vault, in: tx)
        preview.table = Preview.Table(
            caption: "jobs.retry-all-some", columns: ["refusal.member", "identity.idp", "jobs.tries", "jobs.error"],
            rows: examples.map { job in
                [
                    job.user.map { .member($0, isKnown: false) } ?? .text(.verbatim("–")),
                    .providers(job.provider.map { [$0] } ?? []), .value(.count(job.attempts)),
                    .text(.verbatim(job.lastError ?? "–")),
                ]
            })
        return preview
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact { [kind] change, tx in
            let app = change.app.id
            var count = 0
            for job in try JobQueries.failed(kind, of: app, after: change.moment, limit: Self.most, in: tx)
            where try JobQueries.hasten(job.id, of: app, to: change.moment, in: tx) {
                count += 1
            }
            guard count > 0 else { throw JobRules.noneFailed }
            try change.record(.jobsRetried, ["kind": kind.rawValue, "count": String(count)], in: tx)
            return Empty()
        }
    }
}
