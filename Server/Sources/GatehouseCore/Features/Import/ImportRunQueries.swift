import GatehouseJSON
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// One import of a file of members. It can be cut at any line, and goes on after its checkpoint.
package struct ImportRun: Sendable, Hashable {
    package enum State: String, Sendable {
        /// It goes on, or was cut.
        case begun
        case done, undone
    }

    package let id: String
    package let source: String
    /// The digest of the file, so that a run goes on with the same one alone.
    package let fileDigest: [UInt8]
    package var state = State.begun
    /// How many lines of the file are written.
    package var checkpoint: Int64 = 0
    /// What was counted so far, and what the operator has chosen, both as JSON.
    package var counts = "{}"
    package var options = "{}"
    package let begunBy: String
    package let begunAt: Moment
    /// As long as one process works at it.
    package var leasedUntil: Moment?
    package var endedAt: Moment?
    /// How many records the file has, as its first reading has counted them; nil for a run of an earlier version.
    package var records: Int?
    /// When a run that was cut went on; nil for one that was not.
    package var resumedAt: Moment?
    /// How many records were read before that.
    package var resumedFrom: Int?

    package init(id: String, source: String, fileDigest: [UInt8], begunBy: String, begunAt: Moment) {
        self.id = id
        self.source = source
        self.fileDigest = fileDigest
        self.begunBy = begunBy
        self.begunAt = begunAt
    }
}

extension ImportRun {
    /// What was counted so far.
    package var progress: ImportCounts { get throws { counts == "{}" ? ImportCounts() : try JSONText.read(counts) } }

    /// What the operator has chosen.
    package var choices: ImportOptions { get throws { try JSONText.read(options) } }

    /// Whether a process works at it. One that was killed seems to, until its time is over.
    package func isGoingOn(at moment: Moment) -> Bool { state == .begun && (leasedUntil ?? moment) > moment }

    /// How fast the process is that works at it; nil before its first batch, and when none does.
    package var speed: ImportSpeed? {
        get throws {
            guard state == .begun, let leasedUntil else { return nil }
            // A batch extends the lease by the same time.
            let lastBatch = leasedUntil.adding(seconds: -ImportRules.leaseSeconds)
            let read = try progress.read
            return ImportSpeed(
                read: read - (resumedFrom ?? 0), since: resumedAt ?? begunAt, until: lastBatch,
                left: records.map { max(0, $0 - read) })
        }
    }
}

/// How fast an import is, and how long it takes at this speed.
package struct ImportSpeed: Sendable, Hashable {
    package let recordsPerSecond: Int
    /// Nil if nobody knows how many records the file has.
    package let secondsLeft: UInt64?

    /// The longest time that is said.
    private static let mostSeconds = 1e9

    /// - Parameters:
    ///   - read: how many records were read in the time.
    ///   - left: how many are left.
    init?(read: Int, since begin: Moment, until end: Moment, left: Int?) {
        let (milliseconds, overflow) = end.milliseconds.subtractingReportingOverflow(begin.milliseconds)
        guard !overflow, milliseconds > 0, read > 0 else { return nil }
        let perSecond = Double(read) * 1_000 / Double(milliseconds)
        recordsPerSecond = Int(min(perSecond, Self.mostSeconds).rounded())
        secondsLeft = left.map { UInt64(min(Double($0) / perSecond, Self.mostSeconds).rounded(.up)) }
    }
}

/// Table `import_runs`.
enum ImportRunQueries {
    private static let columns: SQL = """
        run_id, source, file_digest, begun_by, begun_at, state, checkpoint, counts, options, leased_until, ended_at,
        records, resumed_at, resumed_from
        """

    private static func run(_ row: Row) throws -> ImportRun {
        var columns = row.columns
        var run = ImportRun(
            id: try columns.next(), source: try columns.next(), fileDigest: try columns.next(),
            begunBy: try columns.next(), begunAt: try columns.next())
        run.state = try columns.next()
        run.checkpoint = try columns.next()
        run.counts = try columns.next()
        run.options = try columns.next()
        run.leasedUntil = try columns.next()
        run.endedAt = try columns.next()
        run.records = try columns.next()
        run.resumedAt = try columns.next()
        run.resumedFrom = try columns.next()
        return run
    }

    static func insert(_ run: ImportRun, app: AppID, in tx: Draft) throws {
        try tx.insert(
            into: "import_runs",
            [
                "app_id": app, "run_id": run.id, "source": run.source, "file_digest": run.fileDigest,
                "state": run.state, "checkpoint": run.checkpoint, "counts": run.counts, "options": run.options,
                "begun_by": run.begunBy, "begun_at": run.begunAt, "leased_until": run.leasedUntil,
                "ended_at": run.endedAt, "records": run.records, "resumed_at": run.resumedAt,
                "resumed_from": run.resumedFrom,
            ])
    }

    static func run(_ id: String, app: AppID, in tx: Reader) throws -> ImportRun? {
        try tx.first("SELECT \(columns) FROM import_runs WHERE app_id = \(app) AND run_id = \(id)", run)
    }

    /// The runs, newest first: their ids begin with the moment of their beginning.
    ///
    /// - Parameter last: the last run of the page before.
    static func runs(of app: AppID, before last: String? = nil, limit: Int, in tx: Reader) throws -> [ImportRun] {
        try tx.rows(
            """
            SELECT \(columns) FROM import_runs WHERE app_id = \(app) AND run_id < \(last ?? TimeOrderedID.end)
            ORDER BY run_id DESC LIMIT \(limit)
            """, run)
    }

    /// Lets one process work at a run, as long as no other one works at another run of the app. The app's runs are locked first, so that
    /// of two processes that ask at once one gets it.
    ///
    /// - Parameter held: until when this process has had the run; nil for one that has not.
    static func lease(
        _ id: String, holding held: Moment? = nil, until end: Moment, app: AppID, at moment: Moment, in tx: Transaction
    ) throws -> Bool {
        try tx.execute("UPDATE import_runs SET state = state WHERE app_id = \(app)")
        let leased = try tx.rows(
            "SELECT run_id, leased_until FROM import_runs WHERE app_id = \(app) AND leased_until > \(moment)"
        ) { row in (id: try row[0] as String, until: try row[1] as Moment) }
        guard leased.allSatisfy({ $0.id == id && $0.until == held }) else { return false }
        return try tx.execute(
            "UPDATE import_runs SET leased_until = \(end) WHERE app_id = \(app) AND run_id = \(id)") == 1
    }

    /// Notes that a run that was cut goes on, so that its speed is measured from there.
    static func resume(_ run: ImportRun, app: AppID, in tx: Draft) throws {
        try tx.update(
            "import_runs", set: "resumed_at = \(run.resumedAt), resumed_from = \(run.resumedFrom)",
            where: ["app_id": app, "run_id": run.id], ifMissed: StorageError.conflict)
    }

    /// Writes how far a run has come, in the transaction of its batch. If it has come elsewhere than this process has read, the
    /// transaction is retried.
    static func advance(_ run: ImportRun, from checkpoint: Int64, app: AppID, in tx: Draft) throws {
        try tx.update(
            "import_runs",
            set: """
                state = \(run.state), checkpoint = \(run.checkpoint), counts = \(run.counts),
                leased_until = \(run.leasedUntil), ended_at = \(run.endedAt)
                """,
            where: ["app_id": app, "run_id": run.id], and: "checkpoint = \(checkpoint)",
            ifMissed: StorageError.conflict)
    }
}

extension ImportRun.State: SQLConvertible {}
