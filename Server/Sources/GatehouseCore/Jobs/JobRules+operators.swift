import GatehouseSecurity
import GatehouseStorage

// What operators do with a job that waits, and read of it before.
extension JobRules {
    static var isOver: Refusal {
        .parameter("job", "The job is no longer waiting: it is done, or was given up.")
    }

    static var noneFailed: Refusal { .parameter("kind", "No failed job of this kind is waiting.") }

    /// A job that an operator is about to change.
    ///
    /// - Throws: ``ImpossibleAction`` for one that waits no more.
    static func waiting(_ id: String, _ view: OperatorView, in tx: Reader) throws -> JobRecord {
        guard let job = try JobQueries.job(id, of: view.app, in: tx), job.state == .waiting else {
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
            switch job.kind {
            case .revokeTokens:
                let payload = try? payload(job.id, sealed, as: RevocationPayload.self, vault: vault)
                (job.user, job.provider) = (payload?.user, payload?.provider)
            case .forgetProfiles:
                job.provider = (try? payload(job.id, sealed, as: ForgetProfilesPayload.self, vault: vault))?.provider
            default: break
            }
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

extension DeedTarget {
    /// - Throws: 3 if it is no job.
    func requireJob() throws -> String {
        guard case .job(let id) = self else { throw Refusal.parameter("job", "The action is about a job.") }
        return id
    }
}
