import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// What can be done with a job that waits.
    static let jobDeeds = [retryJob, giveUpJob]

    private static func job(_ values: FormValues) throws -> DeedTarget {
        guard let id = values["job"], id.utf8.count <= 64 else {
            throw Refusal.parameter("job", "The address names no job.")
        }
        return .job(id)
    }

    private static func id(_ values: FormValues) throws -> String {
        guard case .job(let id) = try job(values) else { throw Refusal(.notSupported) }
        return id
    }

    private static let retryJob = DeedKind(
        name: "job.retried", level: .confirmed, role: .operator, section: "withdrawals", target: job,
        preview: { visit, values in
            let job = try await visit.waitingJob(try id(values))
            return DeedPreview(
                visit.words("jobs.retry-title"),
                [
                    visit.words(
                        "jobs.retry-what",
                        ["kind": visit.kind(of: job), "tries": String(job.attempts), "error": job.lastError ?? "–"]),
                    visit.words("jobs.retry-now", ["next": visit.local.absolute(job.nextAt)]),
                ], undo: visit.words("jobs.retry-undo"), button: visit.words("deed.job.retried"),
                cancel: visit.address("withdrawals"))
        },
        perform: { visit, values, call in
            try await call.run(RetryJob(id: try id(values)))
            return DeedResult(visit.address("withdrawals"))
        })

    private static let giveUpJob = DeedKind(
        name: "job.given-up", level: .confirmed, role: .operator, section: "withdrawals", target: job,
        preview: { visit, values in
            let job = try await visit.waitingJob(try id(values))
            return DeedPreview(
                visit.words("jobs.give-up-title"),
                [
                    visit.words(
                        "jobs.retry-what",
                        ["kind": visit.kind(of: job), "tries": String(job.attempts), "error": job.lastError ?? "–"]),
                    visit.words("jobs.give-up-what"),
                ], undo: visit.words("jobs.give-up-undo"), button: visit.words("deed.job.given-up"),
                cancel: visit.address("withdrawals"), isDangerous: true)
        },
        perform: { visit, values, call in
            try await call.run(GiveUpJob(id: try id(values)))
            return DeedResult(visit.address("withdrawals"))
        })
}

extension Visit {
    fileprivate func waitingJob(_ id: String) async throws -> JobRecord {
        guard let job = try await run(FindJob(id: id)), job.state == .waiting else {
            throw Refusal.parameter("job", words("problem.job-over"))
        }
        return job
    }

    fileprivate func kind(of job: JobRecord) -> String {
        words.optional("jobs.kind.\(job.kind.rawValue)") ?? job.kind.rawValue
    }
}
