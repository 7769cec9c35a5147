import Foundation
import GatehouseWire
import LoadGenerator

/// A month of a busy game's history: entries of the ledger in two old partitions of PostgreSQL, which leave while players log in. On
/// SQLite, which has no partitions, the entries are in the table.
struct History {
    /// Entries of one transaction.
    private static let step = 1_000_000
    /// The names end as the server's do, because the names of their constraints are understood by that.
    private static let partitions = ["ledger_10000", "ledger_10001"]

    let place: Place
    let app: AppID
    let entries: Int

    private var isDivided: Bool { place.engine == "postgresql" }

    func fill() throws {
        let before = Date()
        if isDivided {
            // The indexes are made when a table is attached, which takes less time than adding to them.
            for name in Self.partitions {
                try place.execute("CREATE TABLE \(name) (LIKE ledger INCLUDING DEFAULTS INCLUDING CONSTRAINTS);")
            }
        }
        var filled = 0
        while filled < entries {
            let end = min(filled < entries / 2 ? entries / 2 : entries, filled + Self.step)
            try fill(filled, end)
            filled = end
        }
        if isDivided {
            for (number, name) in Self.partitions.enumerated() {
                // Ids of today begin with 01.
                try place.execute(
                    """
                    SET maintenance_work_mem = '1GB';
                    ALTER TABLE ledger ATTACH PARTITION \(name) FOR VALUES FROM ('00\(number)') TO ('00\(number + 1)');
                    ANALYZE \(name);
                    """)
            }
        }
        say("  \(entries) entries of the ledger written in \(Int(Date().timeIntervalSince(before))) s")
    }

    private func fill(_ begin: Int, _ end: Int) throws {
        let isSQLite = !isDivided
        let half = begin < entries / 2 ? 0 : 1
        let table = isDivided ? Self.partitions[half] : "ledger"
        let digits = isSQLite ? "printf('%023d', n)" : "lpad(CAST(n AS TEXT), 23, '0')"
        // Each of a third as many members has three entries, in an order without a rule.
        let user =
            isSQLite
            ? "'1AAA'||printf('%012X', (n % \(max(1, entries / 3))) * 2654435761 % 281474976710656)"
            : "'1AAA'||upper(substr(md5(CAST(n % \(max(1, entries / 3)) AS TEXT)), 1, 12))"
        try place.execute(
            """
            \(isSQLite ? "PRAGMA cache_size = -4000000; PRAGMA synchronous = OFF;" : "SET synchronous_commit = off;")
            \(place.begin);
            INSERT INTO \(table) (user_id, app_id, entry_id, event, actor, door, happened_at)
            SELECT \(user), '\(app)', '00\(half)'||\(digits),
                'session.logged-out', 'player', 'v1', 1760000000000 + n FROM \(place.series(begin..<end));
            COMMIT;
            """)
    }

    /// Runs a measurement while an old partition leaves, by the server's own statements, and says how long it took.
    func leaving(_ number: Int, beside measure: () throws -> Void) throws {
        guard isDivided else { return }
        let name = Self.partitions[number]
        let done = DispatchSemaphore(value: 0)
        let removal = Thread { [place] in
            let before = Date()
            do {
                try place.execute(
                    "SELECT pg_sleep(1); ALTER TABLE ledger DETACH PARTITION \(name) CONCURRENTLY; DROP TABLE \(name);")
                say("  \(name) has left in \(Int((Date().timeIntervalSince(before) - 1) * 1_000)) ms")
            } catch {
                say("  \(name) has not left: \(error)")
            }
            done.signal()
        }
        removal.start()
        try measure()
        done.wait()
    }
}
