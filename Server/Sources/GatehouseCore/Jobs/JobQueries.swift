import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `jobs`.
enum JobQueries {
    static func insert(
        _ id: String, kind: JobKind, sealed: [UInt8], app: AppID, at moment: Moment, in tx: Draft
    ) throws {
        try tx.insert(
            into: "jobs",
            [
                "job_id": id, "app_id": app, "kind": kind.rawValue, "sealed_payload": sealed,
                "state": JobRecord.State.waiting.rawValue, "attempts": 0, "next_at": moment, "created_at": moment,
            ])
    }

    static func due(at moment: Moment, limit: Int, in tx: Reader) throws -> [Job] {
        try tx.rows(
            """
            SELECT job_id, app_id, kind, sealed_payload, attempts, next_at FROM jobs
            WHERE state = 'waiting' AND next_at <= \(moment) ORDER BY next_at LIMIT \(limit)
            """
        ) { row in
            Job(
                id: try row[0], app: try row[1], kind: JobKind(try row[2]), sealed: try row[3], attempts: try row[4],
                nextAt: try row[5])
        }
    }

    /// False when another node has claimed the job. If that node reports no result before the lease ends, the job becomes due again.
    static func claim(_ job: Job, until lease: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE jobs SET next_at = \(lease), attempts = \(job.attempts + 1)
            WHERE job_id = \(job.id) AND state = 'waiting' AND next_at = \(job.nextAt)
            """) == 1
    }

    static func end(
        _ id: String, state: JobRecord.State, error: String?, at moment: Moment, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            UPDATE jobs SET state = \(state.rawValue), sealed_payload = NULL, last_error = \(error), ended_at = \(moment)
            WHERE job_id = \(id)
            """)
    }

    static func postpone(_ id: String, to moment: Moment, error: String, in tx: Transaction) throws {
        try tx.execute(
            "UPDATE jobs SET next_at = \(moment), last_error = \(error) WHERE job_id = \(id) AND state = 'waiting'")
    }

    /// The jobs, newest first.
    static func jobs(in state: JobRecord.State?, limit: Int, in tx: Reader) throws -> [JobRecord] {
        let condition: SQL = if let state { "WHERE state = \(state.rawValue)" } else { "" }
        return try tx.rows(
            """
            SELECT job_id, app_id, kind, state, attempts, next_at, last_error FROM jobs \(condition)
            ORDER BY job_id DESC LIMIT \(limit)
            """
        ) { row in
            JobRecord(
                id: try row[0], app: try row[1], kind: JobKind(try row[2]),
                state: JobRecord.State(rawValue: try row[3]) ?? .dead, attempts: try row[4], nextAt: try row[5],
                lastError: try row[6])
        }
    }

    /// A dead job can't be retried, because its parameters were deleted with its payload.
    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM jobs WHERE job_id IN (
                SELECT job_id FROM jobs WHERE ended_at < \(moment) ORDER BY ended_at LIMIT \(limit))
            """)
    }
}
