package import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Runs a job that waits for its next attempt now.
package struct RetryJob: OperatorAction {
    package static let about = OperatorActionAbout(
        "job.retried", role: .operator, step: .confirmed, section: "withdrawals", subject: .job)

    let id: String

    package init(on target: ActionTarget) throws {
        id = try target.requireJob()
    }

    package var subject: ActionTarget { .job(id) }

    package init(id: String) {
        self.id = id
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let job = try JobRules.waiting(id, context, in: tx)
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

    private var kind = RevokeTokens.kind

    package init(on target: ActionTarget) {}

    package init(kind: JobKind = RevokeTokens.kind) {
        self.kind = kind
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let jobs = try JobQueries.failed(kind, of: context.app.id, after: context.moment, limit: Self.most, in: tx)
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
        let examples = try JobRules.named(Array(jobs.prefix(Self.shown)), vault: context.vault, in: tx)
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

/// Gives up a job that waits. Its parameters are deleted, so it can't be run again.
package struct GiveUpJob: OperatorAction {
    package static let about = OperatorActionAbout(
        "job.given-up", role: .operator, step: .confirmed, section: "withdrawals", subject: .job)

    let id: String

    package init(on target: ActionTarget) throws {
        id = try target.requireJob()
    }

    package var subject: ActionTarget { .job(id) }

    package init(id: String) {
        self.id = id
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let job = try JobRules.waiting(id, context, in: tx)
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

/// Lists the jobs of the outbox, newest first.
package struct ListJobs: ServerAction {
    package static let role: OperatorRole? = .viewer

    /// Nil for those in any state.
    let state: JobRecord.State?
    /// The last job of the page before.
    let last: String?
    let limit: Int

    package init(state: JobRecord.State?, before last: String? = nil, limit: Int = 100) {
        self.state = state
        self.last = last
        self.limit = limit
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [JobRecord] {
        let vault = services.vault
        return try await services.database.report { tx in
            let jobs = try JobQueries.jobs(in: state, before: last, limit: max(1, min(limit, 1_000)), in: tx)
            return try JobRules.named(jobs, vault: vault, in: tx)
        }
    }
}

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
            let jobs = try JobQueries.stuck(RevokeTokens.kind, of: app, limit: count, in: tx)
            return try JobRules.named(jobs, vault: vault, in: tx)
        }
    }
}

// What operators do with a job that waits, and read of it before.
extension JobRules {
    static var isOver: Refusal {
        .parameter("job", "The job is no longer waiting: it is done, or was given up.")
    }

    static var noneFailed: Refusal { .parameter("kind", "No failed job of this kind is waiting.") }

    /// A job that an operator is about to change.
    ///
    /// - Throws: ``ImpossibleAction`` for one that waits no more.
    static func waiting(_ id: String, _ context: OperatorContext, in tx: Reader) throws -> JobRecord {
        guard let job = try JobQueries.job(id, of: context.app.id, in: tx), job.state == .waiting else {
            throw ImpossibleAction(phrase: "problem.job-over", parameter: "job")
        }
        return job
    }

    /// Jobs with whom and what they are about, as far as they still say so.
    static func named(_ jobs: [JobRecord], vault: KeyVault, in tx: Reader) throws -> [JobRecord] {
        let waiting = jobs.filter { $0.state == .waiting }.map(\.id)
        let payloads = try JobQueries.payloads(of: waiting, in: tx)
        return jobs.map { job in
            guard let sealed = payloads[job.id] else { return job }
            var job = job
            let subject = (try? self.job(job.id, job.kind, sealed, vault: vault))?.subject
            (job.user, job.provider) = (subject?.user, subject?.provider)
            return job
        }
    }
}

extension JobRecord {
    /// How often it was tried, and why it failed.
    var attemptsSoFar: Phrase {
        Phrase(
            "jobs.retry-what",
            ["kind": .kind(of: self), "tries": .count(attempts), "error": .text(lastError ?? "–")])
    }
}

extension Phrase.Value {
    /// What a job does. A job of another version may be of a kind without a name.
    package static func kind(of job: JobRecord) -> Phrase.Value {
        .word("jobs.kind.\(job.kind.rawValue)", or: job.kind.rawValue)
    }
}

extension ActionTarget {
    /// - Throws: 3 if it is no job.
    func requireJob() throws -> String {
        guard case .job(let id) = self else { throw Refusal.parameter("job", "The action is about a job.") }
        return id
    }
}
