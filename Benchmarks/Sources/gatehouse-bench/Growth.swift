import Foundation
import GatehouseWire
import LoadGenerator

/// Existing members, written into the database as logins would have done: each with an identity, a session and a ledger entry.
struct Growth {
    /// The first letters of the members' ids. Those of members that log in have others.
    static let letters = "1AAA"
    /// Members of one transaction. More would make the write-ahead log larger than the database.
    private static let step = 1_000_000

    let place: Place
    let app: AppID

    /// Returns how many members were added in how many seconds.
    @discardableResult
    func fill(upTo count: Int) throws -> (members: Int, seconds: Double) {
        let before = Date()
        let present = try self.count()
        var filled = present
        if filled < count { try makeRoom() }
        while filled < count {
            let next = min(count, filled + Self.step)
            try write(filled, next)
            filled = next
        }
        let seconds = Date().timeIntervalSince(before)
        say("  filled up to \(count) members in \(Int(seconds)) s")
        return (max(0, count - present), seconds)
    }

    func count() throws -> Int {
        let text = try place.execute("SELECT COUNT(*) FROM members;")
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// Where PostgreSQL divides the ledger by time, the entries below need a partition of their own.
    private func makeRoom() throws {
        guard place.engine == "postgresql" else { return }
        try place.execute(
            """
            DO $$ BEGIN
                IF (SELECT relkind FROM pg_class WHERE oid = 'ledger'::regclass) = 'p' THEN
                    CREATE TABLE IF NOT EXISTS ledger_10002 PARTITION OF ledger FOR VALUES FROM ('00c') TO ('00d');
                END IF;
            EXCEPTION WHEN invalid_object_definition THEN NULL;  -- There is one already.
            END $$;
            """)
    }

    private func write(_ begin: Int, _ end: Int) throws {
        let isSQLite = place.engine == "sqlite"
        // Ids and hashes have realistic lengths and distribution. Those of the ledger are older than those of today's logins.
        let random =
            isSQLite ? "hex(randomblob(21))" : "md5(CAST(n AS TEXT))||substr(md5(CAST(-n - 1 AS TEXT)), 1, 10)"
        let bytes = isSQLite ? "randomblob(32)" : "sha256(CAST(CAST(n AS TEXT) AS bytea))"
        let digits = place.digits("n", 12)
        let user = "'\(Self.letters)'||replace(replace(replace(\(digits),'0','A'),'2','B'),'5','C')"
        // The registrations of some days, long enough ago that a sweep looks at their sessions, which are not over yet. It tells their age
        // by their ids, which begin with the time in base 32.
        let then = "\(Int64(Date().timeIntervalSince1970 - 120 * 86_400) * 1_000) + CAST(n AS BIGINT) * 31"
        try place.execute(
            """
            \(isSQLite ? "PRAGMA cache_size = -\(Self.cacheKilobytes); PRAGMA synchronous = OFF;" : "SET synchronous_commit = off;")
            \(place.begin);
            CREATE TEMPORARY TABLE filling AS
            SELECT \(user) AS user_id, '\(app)' AS app_id, \(random)||'A' AS subject, \(bytes) AS hash, \(then) AS at,
                \(digits) AS number FROM \(place.series(begin..<end));
            INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
            SELECT app_id, user_id, 'Y', at, at FROM filling;
            INSERT INTO identities (app_id, idp, namespace, subject, user_id, registered_at)
            SELECT app_id, 'guest', '', subject, user_id, at FROM filling;
            INSERT INTO sessions (session_id, app_id, user_id, idp, key_thumbprint, refresh_hash, created_at, last_used_at,
                idle_expires_at, expires_at)
            SELECT \(place.time("at"))||number||'aaaa', app_id, user_id, 'guest', subject, hash, at, at, at + 34000000000, at + 34000000000 FROM filling;
            INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, details, happened_at)
            SELECT user_id, app_id, '00c'||number||'aaaaaaaaaaa', 'member.created', 'player', 'http-api', '{"idp":"guest"}', at FROM filling;
            DROP TABLE filling;
            COMMIT;
            """)
    }

    /// SQLite's cache for the indexes: a quarter of the memory that is free, at most 4 GB.
    private static var cacheKilobytes: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let free = line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 1_000_000
        return min(4_000_000, free / 4)
    }
}
