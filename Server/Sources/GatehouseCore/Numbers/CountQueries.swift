import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `counts`: what has happened in an app, by hour and by day.
enum CountQueries {
    /// Hours are kept for the charts of the last days. Days are kept for good.
    static let hoursKeptSeconds: Int64 = 8 * 86_400

    static func add(_ amount: Int64, to key: Tally.Key, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
            VALUES (\(key.app), \(key.unit.rawValue), \(key.metric.rawValue), \(key.bucket), \(key.label), \(amount))
            ON CONFLICT (app_id, unit, metric, bucket, label) DO UPDATE SET amount = counts.amount + excluded.amount
            """)
    }

    /// One row.
    struct Count: Sendable, Hashable {
        let metric: Metric
        let bucket: Moment
        let label: String
        let amount: Int64
    }

    /// The rows of some metrics from a moment on and before another, in no order: one statement, however many metrics there are.
    static func counts(
        of app: AppID, _ unit: Tally.Key.Unit, _ metrics: [Metric], from begin: Moment, until end: Moment,
        in tx: Reader
    ) throws -> [Count] {
        try tx.rows(
            """
            SELECT metric, bucket, label, amount
            FROM \(counts(of: app, unit, metrics)) AND bucket >= \(begin) AND bucket < \(end)
            """, count
        ).compactMap(\.self)
    }

    /// The same for days, summed up in periods: the sum of one stands at its first day.
    ///
    /// - Parameters:
    ///   - days: the length of a period. The first begins with the range.
    ///   - alone: two days that belong to no period.
    static func sums(
        of app: AppID, _ metrics: [Metric], every days: Int, but alone: (Moment, Moment), from begin: Moment,
        until end: Moment, in tx: Reader
    ) throws -> [Count] {
        let length = Moment(day: Int64(max(1, days))).milliseconds
        return try tx.rows(
            """
            SELECT metric, first_day, label, CAST(SUM(amount) AS BIGINT) FROM (
                SELECT metric, label, amount, CASE WHEN bucket IN (\(alone.0), \(alone.1)) THEN bucket
                    ELSE bucket - (bucket - \(begin)) % \(length) END AS first_day
                FROM \(counts(of: app, .day, metrics)) AND bucket >= \(begin) AND bucket < \(end)) AS dated
            GROUP BY metric, first_day, label
            """, count
        ).compactMap(\.self)
    }

    /// The rows of some metrics. SQLite keeps the order of a cross join. It has no statistics, and would begin with all counts.
    private static func counts(of app: AppID, _ unit: Tally.Key.Unit, _ metrics: [Metric]) -> SQL {
        """
        (VALUES \(rows: metrics.map(\.rawValue))) AS metrics CROSS JOIN counts
        WHERE app_id = \(app) AND unit = \(unit.rawValue) AND metric = metrics.column1
        """
    }

    /// Nil for a metric of a newer version.
    private static func count(_ row: Row) throws -> Count? {
        guard let metric = Metric(rawValue: try row[0]) else { return nil }
        return Count(metric: metric, bucket: try row[1], label: try row[2], amount: try row[3])
    }

    /// Whether a label of one of these metrics was counted on any day.
    static func hasCounted(_ metrics: [Metric], label: String, of app: AppID, in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM \(counts(of: app, .day, metrics)) AND label = \(label) LIMIT 1") { _ in true }
            ?? false
    }

    /// The sums of a metric from a moment on, all labels together, of every app: one statement, however many apps there are.
    static func sumsOfApps(
        _ unit: Tally.Key.Unit, _ metric: Metric, from begin: Moment, in tx: Reader
    ) throws -> [AppID: [Count]] {
        // SQLite keeps the order of a cross join. It has no statistics, and would begin with all counts.
        let rows = try tx.rows(
            """
            SELECT apps.app_id, counts.bucket, CAST(SUM(counts.amount) AS BIGINT) FROM apps CROSS JOIN counts
            WHERE counts.app_id = apps.app_id AND counts.unit = \(unit.rawValue) AND counts.metric = \(metric.rawValue)
                AND counts.bucket >= \(begin)
            GROUP BY apps.app_id, counts.bucket
            """
        ) { row in
            (
                app: AppID(try row[0] as String),
                count: Count(metric: metric, bucket: try row[1], label: "", amount: try row[2])
            )
        }
        return Dictionary(grouping: rows, by: \.app).mapValues { $0.map(\.count) }
    }

    /// The sum of a metric over all days before a moment.
    static func sum(of app: AppID, _ metric: Metric, before end: Moment, in tx: Reader) throws -> Int64 {
        try tx.first(
            """
            SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM counts
            WHERE app_id = \(app) AND unit = \(Tally.Key.Unit.day.rawValue) AND metric = \(metric.rawValue)
                AND bucket < \(end)
            """
        ) { row in try row[0] } ?? 0
    }

    /// The first day of which an app has a count.
    static func firstDay(of app: AppID, _ metric: Metric, in tx: Reader) throws -> Moment? {
        try tx.first(
            """
            SELECT bucket FROM counts
            WHERE app_id = \(app) AND unit = \(Tally.Key.Unit.day.rawValue) AND metric = \(metric.rawValue)
            ORDER BY bucket LIMIT 1
            """
        ) { row in try row[0] }
    }
}

extension Services {
    /// Writes down what was counted since the last call, in a transaction for each app. What could not be written is written by a later
    /// call.
    package func writeCounts() async throws {
        var rest = reporter.tally.take()
        do {
            for app in Set(rest.keys.map(\.app)) {
                let taken = rest.filter { $0.key.app == app }
                // Every node takes the rows in the same order, so that two can't wait for each other.
                let ordered = try await rows(of: taken).sorted { $0.key < $1.key }
                try await database.transact { tx in
                    for (key, amount) in ordered { try CountQueries.add(amount, to: key, in: tx) }
                }
                for key in taken.keys { rest[key] = nil }
            }
        } catch {
            reporter.tally.putBack(rest)
            throw error
        }
    }

    /// The rows that counts add to. A quarter of an hour belongs to an hour and to a day of its app.
    private func rows(of counts: [Tally.Key: Int64]) async throws -> [Tally.Key: Int64] {
        var rows: [Tally.Key: Int64] = [:]
        for (key, amount) in counts {
            guard key.unit == .quarter else {
                rows[key, default: 0] &+= amount
                continue
            }
            let day = try await zone(of: key.app).day(of: key.bucket)
            rows[key.as(.hour, key.bucket.hourBegin), default: 0] &+= amount
            rows[key.as(.day, Moment(day: day)), default: 0] &+= amount
        }
        return rows
    }

    private func zone(of id: AppID) async throws -> AppZone {
        do {
            return try await directory.entry(id).app.zone
        } catch is Refusal {
            // Somebody else has deleted the app.
            return .universal
        }
    }
}

extension Tally.Key {
    fileprivate func `as`(_ unit: Unit, _ bucket: Moment) -> Self {
        Self(app: app, unit: unit, metric: metric, bucket: bucket, label: label)
    }
}

extension Tally.Key: Comparable {
    static func < (one: Self, other: Self) -> Bool {
        (one.app.rawValue, one.unit.rawValue, one.metric.rawValue, one.bucket.milliseconds, one.label)
            < (other.app.rawValue, other.unit.rawValue, other.metric.rawValue, other.bucket.milliseconds, other.label)
    }
}
