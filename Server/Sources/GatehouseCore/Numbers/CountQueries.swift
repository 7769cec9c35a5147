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
        let bucket: Moment
        let label: String
        let amount: Int64
    }

    /// The rows of a metric from a moment on and before another, oldest first.
    static func counts(
        of app: AppID, _ unit: Tally.Key.Unit, _ metric: Metric, from begin: Moment, until end: Moment, in tx: Reader
    ) throws -> [Count] {
        try tx.rows(
            """
            SELECT bucket, label, amount FROM counts
            WHERE app_id = \(app) AND unit = \(unit.rawValue) AND metric = \(metric.rawValue) AND bucket >= \(begin)
                AND bucket < \(end)
            ORDER BY bucket, label
            """
        ) { row in Count(bucket: try row[0], label: try row[1], amount: try row[2]) }
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
