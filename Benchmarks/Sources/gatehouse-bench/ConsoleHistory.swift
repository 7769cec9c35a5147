import Crypto
import Foundation
import GatehouseWire
import LoadGenerator

/// What a busy game's console has to look through, and an operator who is signed in.
struct ConsoleHistory {
    let place: Place
    let app: AppID
    /// The secrets of the operator's sessions. There are many, because the server makes one that asks too fast wait.
    let sessions: [String]
    /// A member with 5,000 ledger entries.
    let veteran: String
    /// A member with 240 ledger entries, 40 refused calls and 20 notes.
    let player: String
    /// The member after the last page of the list, which has the first that have registered.
    private let early: String
    /// A member like any other, with its subject.
    private let other: (user: String, subject: String)

    init(place: Place, app: AppID) throws {
        self.place = place
        self.app = app
        say("  writing what the console looks through ...")
        func column(_ question: String) throws -> [String] {
            try place.execute(question).split(separator: "\n").map(String.init)
        }
        let first = try column(
            "SELECT user_id FROM members WHERE user_id LIKE '\(Growth.letters)%' ORDER BY user_id LIMIT 41;")
        let user = try column("SELECT user_id FROM members ORDER BY user_id LIMIT 1 OFFSET 9000;").first ?? ""
        let subject = try column("SELECT subject FROM identities WHERE user_id = '\(user)';").first ?? ""
        guard first.count == 41, !subject.isEmpty else {
            throw ServerProcess.Failed(description: "there are too few members for the console")
        }
        (veteran, player, early, other) = (first[0], first[1], first[40], (user, subject))
        sessions = (0..<200).map { _ in Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        // Only PostgreSQL has statistics in service: it makes them by itself.
        try place.execute(
            """
            \(entries)
            \(numbers(until: now))
            \(signedIn(at: now))
            \(happenings(until: now))
            COMMIT;
            \(place.engine == "sqlite" ? "" : "ANALYZE;")
            """)
    }

    /// Every page, by the name under which it is reported.
    var pages: [(name: String, path: String)] {
        let home = "/console/apps/\(app)"
        let find = "/console/find?app=\(app)"
        return [
            ("apps", "/console"), ("overview", home), ("overview_24h", "\(home)?range=24h"),
            ("overview_30d", "\(home)?range=30d"), ("overview_90d", "\(home)?range=90d"),
            ("overview_13m", "\(home)?range=13m"), ("numbers", "\(home)/numbers/active?range=30d"),
            ("numbers_13m", "\(home)/numbers/logins?range=13m"),
            ("members", "\(home)/members"), ("members_banned", "\(home)/members?status=B"),
            ("members_rare", "\(home)/members?status=M"), ("members_idp", "\(home)/members?idp=google"),
            ("members_last", "\(home)/members?before=\(early)"), ("member", "\(home)/members/\(player)"),
            ("member_5000", "\(home)/members/\(veteran)"), ("find_id", "\(find)&part=1&q=\(other.user)"),
            ("find_subject", "\(find)&part=1&q=\(other.subject)"), ("find_part", "\(find)&q=\(other.user.dropLast(2))"),
            ("find_prefix", "\(find)&q=\(Growth.letters)"), ("find_nothing", "\(find)&q=nobody-has-this"),
            ("refusals", "\(home)/refusals"), ("refusals_code", "\(home)/refusals?group=code"),
            ("refusals_version", "\(home)/refusals?group=version"),
            ("refusals_filter", "\(home)/refusals?code=3201&version=1.3.0&range=7d"),
            ("bans", "\(home)/bans"), ("bans_in_force", "\(home)/bans?state=in-force"),
            ("ban_templates", "\(home)/ban-templates"), ("ban_form", "\(home)/do/member.banned?user=\(player)"),
            ("grace_bans", "\(home)/grace-bans"), ("withdrawals", "\(home)/withdrawals"),
            ("launching", "\(home)/launching"), ("kick_out", "\(home)/kick-out"),
            ("test_devices", "\(home)/test-devices"), ("providers", "\(home)/providers"),
            ("provider", "\(home)/providers/\(IdentityProvider.name)"),
            ("provider_unused", "\(home)/providers/line"), ("accounts", "\(home)/accounts"),
            ("transfer", "\(home)/transfer"), ("limits", "\(home)/limits"), ("signing_keys", "\(home)/signing-keys"),
            ("secrets", "\(home)/secrets"), ("audit", "\(home)/audit"), ("audit_server", "/console/audit"),
            ("jobs", "/console/jobs"), ("jobs_dead", "/console/jobs?state=dead"), ("health", "/console/health"),
            ("operators", "/console/operators"), ("me", "/console/me"),
        ] + live
    }

    /// What the script of a page that renews itself asks for.
    private var live: [(name: String, path: String)] {
        let home = "/console/apps/\(app)"
        return [
            ("overview", home), ("member", "\(home)/members/\(player)"), ("refusals", "\(home)/refusals"),
            ("jobs", "/console/jobs"), ("health", "/console/health"),
        ].map { ("live_\($0)", "\($1)?live=1&renewed=1") }
    }

    /// A request of one of the sessions.
    func request(_ path: String, session: Int) -> HTTPRequest {
        HTTPRequest(
            "GET", path,
            headers: [("Cookie", "__Host-gatehouse-console=\(sessions[session])"), ("Accept-Language", "en")])
    }

    /// Fetches a page once with each session, one request after the other, when the caches are filled.
    ///
    /// - Parameter begin: called before the first request that counts.
    /// - Returns: the result, and the bytes of the longest answer.
    func fetch(_ path: String, begin: () -> Void = {}) throws -> (result: Load.Result, longest: Int) {
        var requests = RequestList()
        for session in sessions.indices { requests.add(request(path, session: session).bytes) }
        var load = Load(port: Bench.port, connections: 1, seconds: 0.3, repeats: true)
        load.patience = 60
        _ = load.run(requests)
        var longest = 0
        load.onOutcome = { _, answer in longest = max(longest, answer?.body.count ?? 0) }
        (load.seconds, load.repeats) = (600, false)
        begin()
        let result = load.run(requests)
        guard result.successes == requests.count else {
            throw ServerProcess.Failed(description: "\(path): answers \(result.statuses), lost \(result.lost)")
        }
        return (result, longest)
    }

    /// How many operators look at a page that renews itself. A page that nobody sees doesn't.
    static let operators = 20
    /// The seconds after which a page renews itself.
    static let renewalSeconds = 10.0

    /// What the operators' pages ask for, once.
    var renewals: RequestList {
        var requests = RequestList()
        for session in 0..<Self.operators {
            requests.add(request(live[session % live.count].path, session: session).bytes)
        }
        return requests
    }
}
