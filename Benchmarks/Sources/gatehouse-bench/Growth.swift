import Foundation
import GatehouseWire
import LoadGenerator

/// Existing members, written into the database as logins would have done.
struct Growth {
    /// Members of one transaction. More would make the write-ahead log larger than the database.
    private static let step = 1_000_000

    let place: Place
    let app: AppID

    func fill(upTo count: Int) throws {
        let before = Date()
        var filled = Int(try place.execute("SELECT COUNT(*) FROM members;").split(separator: "\n").first ?? "") ?? 0
        while filled < count {
            filled = min(count, filled + Self.step)
            try step(upTo: filled)
        }
        say("  filled up to \(count) members in \(Int(Date().timeIntervalSince(before))) s")
    }

    private func step(upTo count: Int) throws {
        // Ids and hashes have realistic lengths and distribution, as after a year of registrations.
        let series =
            place.engine == "sqlite"
            ? """
            WITH RECURSIVE series (n) AS (
                SELECT (SELECT COUNT(*) FROM members) UNION ALL SELECT n + 1 FROM series WHERE n + 1 < \(count))
            """
            : "WITH series (n) AS (SELECT generate_series((SELECT COUNT(*) FROM members), \(count - 1)))"
        let random =
            place.engine == "sqlite"
            ? "hex(randomblob(21))" : "md5(CAST(n AS TEXT))||substr(md5(CAST(-n AS TEXT)), 1, 11)"
        let bytes = place.engine == "sqlite" ? "randomblob(32)" : "sha256(CAST(CAST(n AS TEXT) AS bytea))"
        let digits = place.engine == "sqlite" ? "printf('%012d', n)" : "lpad(CAST(n AS TEXT), 12, '0')"
        let user = "'1AAA'||replace(replace(replace(\(digits),'0','A'),'2','B'),'5','C')"
        let then = "1760000000000 + n * 31"
        try place.execute(
            """
            \(place.engine == "sqlite" ? "PRAGMA cache_size = -4000000; PRAGMA synchronous = OFF;" : "SET synchronous_commit = off;")
            \(place.begin);
            CREATE TEMPORARY TABLE filling AS \(series)
            SELECT \(user) AS user_id, '\(app)' AS app_id, \(random)||'A' AS subject, \(bytes) AS hash, \(then) AS at,
                '0aaaaaaaa'||\(digits)||'aaaaa' AS session_id FROM series;
            INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
            SELECT app_id, user_id, 'Y', at, at FROM filling;
            INSERT INTO identities (app_id, idp, namespace, subject, user_id, registered_at)
            SELECT app_id, 'guest', '', subject, user_id, at FROM filling;
            INSERT INTO sessions (session_id, app_id, user_id, idp, key_thumbprint, refresh_hash, created_at, last_used_at,
                idle_expires_at, expires_at)
            SELECT session_id, app_id, user_id, 'guest', subject, hash, at, at, at + 99000000000, at + 99000000000
            FROM filling;
            DROP TABLE filling;
            COMMIT;
            """)
    }
}
