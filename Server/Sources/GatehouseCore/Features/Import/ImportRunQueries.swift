import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
