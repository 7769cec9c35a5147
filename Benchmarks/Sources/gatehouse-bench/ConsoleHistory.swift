import Crypto
import Foundation
import GatehouseWire
import LoadGenerator

/// What a busy game's console has to look through: three ledger entries for each member, numbers of thirteen months, one member with a
/// long life, and an operator who is signed in.
struct ConsoleHistory {
    let place: Place
    let app: AppID
    /// The secrets of the operator's sessions. There are many, because the server makes one that asks too fast wait.
    let sessions: [String]
    /// A member with 5,000 ledger entries.
    let veteran: String

    init(place: Place, app: AppID) throws {
        self.place = place
        self.app = app
        let isSQLite = place.engine == "sqlite"
        say("  writing three ledger entries for each member ...")
        let digits = isSQLite ? "printf('%06d', n)" : "lpad(CAST(n AS TEXT), 6, '0')"
        veteran = try place.execute("SELECT MIN(user_id) FROM members;").trimmingCharacters(in: .whitespacesAndNewlines)
        sessions = (0..<200).map { _ in Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let rows = sessions.enumerated().map { number, session in
            let hash = SHA256.hash(data: Data(session.utf8)).map { String(format: "%02x", $0) }.joined()
            let bytes = isSQLite ? "X'\(hash)'" : "'\\x\(hash)'::bytea"
            return """
                (\(bytes), 'bench-\(number)', 'bench', \(now), \(now), \(now + 40_000_000), 0, '127.0.0.1', 'bench')
                """
        }
        let metrics = [
            "login.new": ["guest", "google", "appleid"], "login.returning": ["guest", "google", "appleid", "facebook"],
            "login.refused": ["7", "3201", "3701"], "member.active": ["guest", "linked"],
            "ban.begun": [""], "withdrawal.asked": [""], "mapping.conflict": ["google"], "guest.linked": ["google"],
        ]
        let labels = metrics.flatMap { metric, labels in labels.map { "('\(metric)', '\($0)')" } }.joined(
            separator: ", ")
        let today = now / 86_400_000 * 86_400_000
        // The ids below lie in no partition that the server makes.
        if !isSQLite {
            try place.execute("CREATE TABLE ledger_10000 PARTITION OF ledger FOR VALUES FROM ('0a') TO ('0c');")
        }
        try place.execute(
            """
            \(place.begin);
            INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
            SELECT user_id, app_id, '0aaaaaaaa'||substr(user_id, 5)||kind, event, 'player', 'v1', registered_at + later
            FROM members CROSS JOIN (
                SELECT 'aaaaaa' AS kind, 'member.created' AS event, 0 AS later
                UNION ALL SELECT 'baaaaa', 'session.logged-out', 60000
                UNION ALL SELECT 'caaaaa', 'session.logged-out', 90000) AS entries;
            INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
            SELECT '\(veteran)', '\(app)', '0bbbbbbbb'||\(digits)||'aaaaaaaaaaaaaaa', 'session.logged-out', 'player', 'v1',
                1760000000000 + n * 60000
            FROM \(place.series(1..<5_001));
            INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
            SELECT '\(app)', 'day', metrics.column1, \(today) - n * 86400000, metrics.column2, 1000 + n * 7 % 400
            FROM \(place.series(1..<401)) CROSS JOIN (VALUES \(labels)) AS metrics;
            INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
            SELECT '\(app)', 'hour', metrics.column1, \(now / 3_600_000 * 3_600_000) - n * 3600000, metrics.column2,
                100 + n * 7 % 40
            FROM \(place.series(1..<191)) CROSS JOIN (VALUES \(labels)) AS metrics;
            INSERT INTO operators (operator_id, name, totp_step, is_disabled, preferences, created_at)
            VALUES ('bench', 'bench', 0, 0,
                '{"theme":"auto","density":"comfortable","hasShortcuts":true,"rows":50}', \(now));
            INSERT INTO operator_grants (operator_id, app_id, role) VALUES ('bench', '*', 'owner');
            INSERT INTO operator_sessions (token_hash, session_id, operator_id, created_at, used_at, expires_at,
                elevated_until, address, agent)
            VALUES \(rows.joined(separator: ",\n"));
            COMMIT;
            ANALYZE;
            """)
    }

    /// Every page, by the name under which it is reported.
    var pages: [(name: String, path: String)] {
        let home = "/console/apps/\(app)"
        return [
            ("overview", home), ("overview_24h", "\(home)?range=24h"), ("overview_30d", "\(home)?range=30d"),
            ("overview_90d", "\(home)?range=90d"), ("overview_13m", "\(home)?range=13m"),
            ("members", "\(home)/members"), ("members_rare", "\(home)/members?status=B"),
            ("members_idp", "\(home)/members?idp=google"), ("member", "\(home)/members/\(veteran)"),
            ("find_prefix", "\(home)/find?q=1AAA"),
            ("find_nothing", "\(home)/find?q=nobody-has-this"), ("refusals", "\(home)/refusals"),
            ("bans", "\(home)/bans"),
            ("ban_form", "\(home)/do/member.banned?user=\(veteran)"), ("grace_bans", "\(home)/grace-bans"),
            ("withdrawals", "\(home)/withdrawals"), ("launching", "\(home)/launching"),
            ("kick_out", "\(home)/kick-out"), ("test_devices", "\(home)/test-devices"),
            ("providers", "\(home)/providers"), ("provider", "\(home)/providers/\(IdentityProvider.name)"),
            ("accounts", "\(home)/accounts"), ("transfer", "\(home)/transfer"), ("limits", "\(home)/limits"),
            ("signing_keys", "\(home)/signing-keys"), ("secrets", "\(home)/secrets"), ("audit", "\(home)/audit"),
            ("home", "/console"), ("jobs", "/console/jobs"), ("health", "/console/health"),
            ("operators", "/console/operators"), ("me", "/console/me"),
        ]
    }

    /// A request of one of the sessions.
    func request(_ path: String, session: Int) -> HTTPRequest {
        HTTPRequest(
            "GET", path,
            headers: [("Cookie", "__Host-gatehouse-console=\(sessions[session])"), ("Accept-Language", "en")])
    }
}
