import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `jobs`.
enum JobQueries {
    static func insert(
        _ id: String, kind: JobKind, lane: String, sealed: [UInt8], app: AppID, at moment: Moment, in tx: Draft
    ) throws {
        try tx.insert(
            into: "jobs",
            [
                "job_id": id, "app_id": app, "kind": kind.rawValue, "lane": lane, "sealed_payload": sealed,
                "state": JobRecord.State.waiting.rawValue, "attempts": 0, "next_at": moment, "created_at": moment,
            ])
    }

    static func due(at moment: Moment, limit: Int, in tx: Reader) throws -> [QueuedJob] {
        try tx.rows(
            """
            SELECT \(claimableColumns) FROM jobs
            WHERE state = 'waiting' AND next_at <= \(moment) ORDER BY next_at LIMIT \(limit)
            """, claimable)
    }

    /// The waiting job of the next lane that is due first, which may be later than now.
    ///
    /// - Parameter lane: the lane before; nil begins with the first.
    static func first(after lane: String?, in tx: Reader) throws -> QueuedJob? {
        let rest: SQL = if let lane { "AND lane > \(lane)" } else { "" }
        return try tx.first(
            """
            SELECT \(claimableColumns) FROM jobs WHERE state = 'waiting' \(rest) ORDER BY lane, next_at LIMIT 1
            """, claimable)
    }

    /// Gives a job the lane that it lacks.
    static func setLane(_ lane: String, of job: QueuedJob, in tx: Transaction) throws {
        try tx.execute(
            "UPDATE jobs SET lane = \(lane) WHERE job_id = \(job.id) AND app_id = \(job.app) AND lane = ''")
    }

    /// Takes a job for its next attempt; false when another node has taken it. If the attempt has no result before the lease ends, the
    /// job becomes due again.
    static func claim(_ job: QueuedJob, until lease: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE jobs SET next_at = \(lease), attempts = \(job.attempts + 1)
            WHERE job_id = \(job.id) AND app_id = \(job.app) AND state = 'waiting' AND next_at = \(job.nextAt)
            """) == 1
    }

    /// Ends a job after an attempt; false when it has ended, or a later attempt has begun, whose result counts instead.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts with this one.
    ///   - failures: the failed attempts with this one; nil if it has not failed.
    static func end(
        _ id: String, of app: AppID, after attempts: Int, state: JobRecord.State, error: String?,
        failures: [FailedAttempt]? = nil, at moment: Moment, in tx: Transaction
    ) throws -> Bool {
        let list = try failures.map { try JSONText.write($0) }
        return try tx.execute(
            """
            UPDATE jobs SET state = \(state.rawValue), sealed_payload = NULL, last_error = \(error), ended_at = \(moment),
                failures = COALESCE(\(list), failures)
            WHERE job_id = \(id) AND app_id = \(app) AND state = 'waiting' AND attempts = \(attempts)
            """) == 1
    }

    /// Makes a job wait after an attempt; false as of ``end(_:of:after:state:error:failures:at:in:)``.
    static func postpone(
        _ id: String, of app: AppID, after attempts: Int, to moment: Moment, error: String,
        failures: [FailedAttempt] = [], in tx: Transaction
    ) throws -> Bool {
        let list = try JSONText.write(failures)
        return try tx.execute(
            """
            UPDATE jobs SET next_at = \(moment), last_error = \(error), failures = \(list)
            WHERE job_id = \(id) AND app_id = \(app) AND state = 'waiting' AND attempts = \(attempts)
            """) == 1
    }

    /// The attempts of a job that have failed, the latest first.
    static func failures(of id: String, app: AppID, in tx: Reader) throws -> [FailedAttempt] {
        FailedAttempt.list(
            try tx.first("SELECT failures FROM jobs WHERE job_id = \(id) AND app_id = \(app)") { row in
                try row[0] as String?
            } ?? nil)
    }

    private static let columns: SQL = """
        job_id, app_id, kind, state, attempts, next_at, last_error, created_at, ended_at, failures
        """

    private static func record(_ row: Row) throws -> JobRecord {
        JobRecord(
            id: try row[0], app: try row[1], kind: JobKind(try row[2]),
            state: JobRecord.State(rawValue: try row[3]) ?? .dead, attempts: try row[4], nextAt: try row[5],
            lastError: try row[6], createdAt: try row[7], endedAt: try row[8], failures: FailedAttempt.list(try row[9]))
    }

    /// What jobs are about, sealed. Those that are over have lost it.
    static func payloads(of ids: [String], in tx: Reader) throws -> [String: [UInt8]] {
        guard !ids.isEmpty else { return [:] }
        let rows = try tx.rows(
            """
            SELECT job_id, sealed_payload FROM jobs
            WHERE state = 'waiting' AND sealed_payload IS NOT NULL AND job_id IN (VALUES \(rows: ids))
            """
        ) { row in (try row[0] as String, try row[1] as [UInt8]) }
        return Dictionary(rows) { first, _ in first }
    }

    /// The jobs of one kind in an app that have failed and wait for another attempt, the next one first.
    static func failed(
        _ kind: JobKind, of app: AppID, after moment: Moment, limit: Int, in tx: Reader
    ) throws -> [JobRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM jobs
            WHERE state = 'waiting' AND next_at > \(moment) AND app_id = \(app) AND kind = \(kind.rawValue)
                AND last_error IS NOT NULL
            ORDER BY next_at, job_id LIMIT \(limit)
            """, record)
    }

    /// The jobs, newest first.
    ///
    /// - Parameter last: the last job of the page before.
    static func jobs(
        in state: JobRecord.State?, before last: String? = nil, limit: Int, in tx: Reader
    ) throws -> [JobRecord] {
        // The condition of an index, as its definition has it.
        let open: SQL = state == .done ? "" : "AND state <> 'done'"
        let condition: SQL = if let state { "\(open) AND state = \(state.rawValue)" } else { "" }
        let rest: SQL = if let last { "AND job_id < \(last)" } else { "" }
        return try tx.rows(
            """
            SELECT \(columns) FROM jobs WHERE job_id IS NOT NULL \(condition) \(rest) ORDER BY job_id DESC LIMIT \(limit)
            """, record)
    }

    /// The jobs of one kind in an app that have failed at least once and are not done, newest first.
    static func stuck(_ kind: JobKind, of app: AppID, limit: Int, in tx: Reader) throws -> [JobRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM jobs
            WHERE app_id = \(app) AND kind = \(kind.rawValue) AND state <> 'done' AND last_error IS NOT NULL
            ORDER BY job_id DESC LIMIT \(limit)
            """, record)
    }

    static func job(_ id: String, of app: AppID, in tx: Reader) throws -> JobRecord? {
        try tx.first("SELECT \(columns) FROM jobs WHERE job_id = \(id) AND app_id = \(app)", record)
    }

    /// A job that waits, with its payload.
    static func waiting(_ id: String, of app: AppID, in tx: Reader) throws -> QueuedJob? {
        try tx.first(
            """
            SELECT \(claimableColumns) FROM jobs
            WHERE job_id = \(id) AND app_id = \(app) AND state = 'waiting'
            """, claimable)
    }

    private static let claimableColumns: SQL = "job_id, app_id, kind, lane, sealed_payload, attempts, next_at"

    private static func claimable(_ row: Row) throws -> QueuedJob {
        QueuedJob(
            id: try row[0], app: try row[1], kind: JobKind(try row[2]), lane: try row[3], sealed: try row[4],
            attempts: try row[5], nextAt: try row[6])
    }

    /// Makes a waiting job due now. False for a job that waits no more.
    ///
    /// A job that is running right now becomes due, too, and may then run twice at a time: its row does not tell it from one that waits
    /// for its next attempt. That does no harm, because each kind of job can be repeated, and the result of the later attempt counts.
    static func hasten(_ id: String, of app: AppID, to moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE jobs SET next_at = \(moment) WHERE job_id = \(id) AND app_id = \(app) AND state = 'waiting'
            """) == 1
    }

    /// The number of jobs that wait, up to a limit.
    static func countWaiting(limit: Int, in tx: Reader) throws -> Int {
        let waiting: SQL = "SELECT job_id FROM jobs WHERE state = 'waiting' ORDER BY next_at LIMIT \(limit)"
        return try tx.rows(waiting) { _ in true }.count
    }

    /// The number of an app's jobs that were given up, as far as they are among the newest of all.
    static func countDead(of app: AppID, among count: Int, in tx: Reader) throws -> Int {
        try tx.first(
            """
            SELECT COUNT(*) FROM (
                SELECT app_id FROM jobs WHERE state <> 'done' AND state = 'dead' ORDER BY job_id DESC LIMIT \(count)
                ) AS newest
            WHERE app_id = \(app)
            """
        ) { row in try row[0] } ?? 0
    }

    /// How many jobs wait, how many of them are late, and how many were given up.
    static func counts(lateBefore moment: Moment, in tx: Reader) throws -> (waiting: Int, late: Int, dead: Int) {
        let count = { (condition: SQL) in
            try tx.first("SELECT COUNT(*) FROM jobs WHERE \(condition)") { row in try row[0] as Int } ?? 0
        }
        return (
            try count("state = 'waiting'"), try count("state = 'waiting' AND next_at < \(moment)"),
            try count("state = 'dead' AND state <> 'done'")
        )
    }
}
