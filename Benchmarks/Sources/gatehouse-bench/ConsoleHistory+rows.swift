import Crypto
import Foundation
import GatehouseWire
import LoadGenerator

// The rows that the console looks through, as statements.
extension ConsoleHistory {
    private var isSQLite: Bool { place.engine == "sqlite" }

    /// Three ledger entries for each member, and the histories of two members. It begins a transaction.
    var entries: String {
        // The ids below lie in no partition that the server makes.
        let partition =
            isSQLite ? "" : "CREATE TABLE ledger_10000 PARTITION OF ledger FOR VALUES FROM ('0a') TO ('0c');"
        let history = { (user: String, count: Int) in
            """
            INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
            SELECT '\(user)', '\(app)', '0bbbbbbbb'||\(place.digits("n", 6))||'aaaaaaaaaaa', 'session.logged-out', 'player',
                'v1', 1760000000000 + n * 60000
            FROM \(place.series(1..<count + 1));
            """
        }
        return """
            \(partition)
            \(place.begin);
            INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
            SELECT user_id, app_id, '0aaaaaaaa'||substr(user_id, 5)||kind, event, 'player', 'v1', registered_at + later
            FROM members CROSS JOIN (
                SELECT 'aaaaaa' AS kind, 'member.created' AS event, 0 AS later
                UNION ALL SELECT 'baaaaa', 'session.logged-out', 60000
                UNION ALL SELECT 'caaaaa', 'session.logged-out', 90000) AS entries;
            \(history(veteran, 5_000))
            \(history(player, 240))
            INSERT INTO member_notes (app_id, note_id, user_id, author, body, created_at)
            SELECT '\(app)', '0bbbbbbbb'||\(place.digits("n", 6))||'bbbbbbbbbbb', '\(player)', 'bench', 'A note',
                1760000000000 + n * 60000
            FROM \(place.series(1..<21));
            """
    }

    /// Numbers of thirteen months.
    func numbers(until now: Int64) -> String {
        let metrics = [
            "login.new": ["guest", "google", "appleid"], "login.returning": ["guest", "google", "appleid", "facebook"],
            "login.refused": ["7", "3201", "3701"], "member.active": ["guest", "linked"],
            "ban.begun": [""], "withdrawal.asked": [""], "mapping.conflict": ["google"], "guest.linked": ["google"],
        ]
        let labels = metrics.flatMap { metric, labels in labels.map { "('\(metric)', '\($0)')" } }.joined(
            separator: ", ")
        return """
            INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
            SELECT '\(app)', 'day', metrics.column1, \(now / 86_400_000 * 86_400_000) - n * 86400000, metrics.column2,
                1000 + n * 7 % 400
            FROM \(place.series(1..<401)) CROSS JOIN (VALUES \(labels)) AS metrics;
            INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
            SELECT '\(app)', 'hour', metrics.column1, \(now / 3_600_000 * 3_600_000) - n * 3600000, metrics.column2,
                100 + n * 7 % 40
            FROM \(place.series(1..<191)) CROSS JOIN (VALUES \(labels)) AS metrics;
            """
    }

    /// The operator with the sessions.
    func signedIn(at now: Int64) -> String {
        let rows = sessions.enumerated().map { number, session in
            let hash = SHA256.hash(data: Data(session.utf8)).map { String(format: "%02x", $0) }.joined()
            let bytes = isSQLite ? "X'\(hash)'" : "'\\x\(hash)'::bytea"
            return """
                (\(bytes), 'bench-\(number)', 'bench', \(now), \(now), \(now + 40_000_000), 0, '127.0.0.1', 'bench')
                """
        }
        return """
            INSERT INTO operators (operator_id, name, totp_step, is_disabled, preferences, created_at)
            VALUES ('bench', 'bench', 0, 0,
                '{"theme":"auto","density":"comfortable","hasShortcuts":true,"rows":50}', \(now));
            INSERT INTO operator_grants (operator_id, app_id, role) VALUES ('bench', '*', 'owner');
            INSERT INTO operator_sessions (token_hash, session_id, operator_id, created_at, used_at, expires_at,
                elevated_until, address, agent)
            VALUES \(rows.joined(separator: ",\n"));
            """
    }

    /// For every tenth member a refused call, an operator's action and a job, of the last days; for some of these a ban or a withdrawal.
    /// The members that have logged in are left alone.
    func happenings(until now: Int64) -> String {
        """
        CREATE TEMPORARY TABLE chosen AS
        SELECT user_id, n, \(place.time("at"))||\(place.digits("n", 12))||'aaaa' AS id, at FROM (
            SELECT user_id, n, \(now) - n * 5000 AS at FROM (
                SELECT user_id, ROW_NUMBER() OVER (ORDER BY user_id) AS n FROM members
                WHERE user_id LIKE '\(Growth.letters)%') AS numbered
            WHERE n % 10 = 5) AS dated;
        INSERT INTO bans (ban_id, app_id, user_id, ban_type, begins_at, reason, caller, registered_by)
        SELECT id, '\(app)', user_id, 'PERMANENT', at, 'bench', 'CONSOLE', 'bench' FROM chosen WHERE n % 100 = 5;
        UPDATE members SET status = 'B', ban_id = chosen.id FROM chosen
        WHERE members.app_id = '\(app)' AND members.user_id = chosen.user_id AND n % 100 = 5;
        UPDATE members SET status = 'T', withdraws_at = \(now + 864_000_000) + n, due_at = \(now + 864_000_000) + n
        FROM chosen
        WHERE members.app_id = '\(app)' AND members.user_id = chosen.user_id AND n % 200 = 15;
        INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
        SELECT user_id, '\(app)', '0bccccccc'||substr(id, 10), 'withdrawal.done', 'player', 'v1', at FROM chosen
        WHERE n % 200 = 25;
        INSERT INTO refusals (refusal_id, app_id, transaction_id, code, call, idp, user_id, client, happened_at)
        SELECT id, '\(app)', 'bench-'||n, CASE n % 30 WHEN 5 THEN 7 WHEN 15 THEN 3201 ELSE 3304 END,
            '/v1/apps/{appId}/login', CASE n % 20 WHEN 5 THEN 'google' ELSE 'guest' END,
            CASE WHEN n < 401 THEN '\(player)' WHEN n % 20 = 5 THEN user_id END,
            'osCode=IOS&osVersion=26.1&clientVersion=1.'||(n / 10 % 8)||'.0&sdkVersion=1.0.0&deviceModel=iPhone17', at
        FROM chosen;
        INSERT INTO operator_actions (entry_id, app_id, operator_id, operator_name, role, action, target, reason, ticket,
            transaction_id, address, once_key, happened_at)
        SELECT id, '\(app)', 'bench', 'bench', 'owner', 'member.banned', 'member '||user_id, 'bench', 'T-'||n, 'bench',
            '127.0.0.1', id, at
        FROM chosen;
        INSERT INTO jobs (job_id, app_id, kind, state, attempts, next_at, last_error, created_at, ended_at)
        SELECT id, '\(app)', 'revoke-idp-tokens',
            CASE WHEN n % 10000 = 5 THEN 'dead' WHEN n % 2000 = 15 THEN 'waiting' ELSE 'done' END, 3,
            \(now + 30_000_000) + n,
            CASE WHEN n % 10000 = 5 OR n % 2000 = 15 THEN 'The provider answered 503.' END, at,
            CASE WHEN n % 2000 <> 15 THEN at END
        FROM chosen;
        DROP TABLE chosen;
        """
    }
}

extension Place {
    /// A number with leading zeros, in SQL.
    func digits(_ number: String, _ count: Int) -> String {
        engine == "sqlite" ? "printf('%0\(count)d', \(number))" : "lpad(CAST(\(number) AS TEXT), \(count), '0')"
    }

    /// The beginning of an id of a moment in milliseconds, in SQL: the time in base 32.
    func time(_ moment: String) -> String {
        (0..<10).map {
            "substr('0123456789abcdefghijklmnopqrstuv', CAST(\(moment) >> \(45 - 5 * $0) & 31 AS INTEGER) + 1, 1)"
        }.joined(separator: "||")
    }
}
