import Foundation
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore

/// UI-PERF: how much of the console goes over the wire.
@Suite struct ConsoleWeightTests {
    private static let home = "/console/apps/\(TestServer.app)"
    private static let page = 25 * 1_024
    /// Letters of Japanese have three bytes: its overview of a month beside the month before has more than 25 KB, and no other page.
    private static let japanesePage = 26 * 1_024
    /// A page with the style, the script and the icon, as a browser gets them.
    private static let firstLoad = 60 * 1_024

    /// Writes thirteen months and the period before of every metric, with eight providers and eight error codes.
    private static func fill(_ server: TestServer) async throws {
        let providers = ["guest", "google", "appleid", "facebook", "line", "naver", "kakao", "twitter"]
        let codes = [7, 3_201, 3_202, 3_301, 3_302, 3_701, 4_001, 8_001].map(String.init)
        let day: Int64 = 86_400_000
        // The server's writers have nothing in these tables yet, because the service that counts does not run.
        let today = server.clock.now.milliseconds / day * day
        let hour = server.clock.now.milliseconds / 3_600_000 * 3_600_000
        try await server.database.transact { tx in
            for metric in Metric.allCases where metric != .activeChange {
                let labels =
                    switch metric {
                    case .newMember, .returningLogin, .guestLinked, .providerFailed, .mappingConflict, .mappingForced,
                        .loginChanged:
                        providers
                    case .refusedLogin: codes
                    case .activeMember: ["guest", "linked"]
                    default: [""]
                    }
                for (number, label) in labels.enumerated() {
                    // Amounts that go up and down, because a flat line would be a shorter path.
                    for (unit, last, length, count) in [("day", today, day, 810), ("hour", hour, 3_600_000, 190)] {
                        try tx.execute(
                            """
                            WITH RECURSIVE steps (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM steps WHERE n < \(count))
                            INSERT INTO counts (app_id, unit, metric, bucket, label, amount)
                            SELECT \(TestServer.app), \(unit), \(metric.rawValue), \(last) - n * \(length), \(label),
                                900 + (n * 7919 + \(number) * 104729) % 44000
                            FROM steps
                            """)
                    }
                }
            }
        }
    }

    @Test(
        "UI-PERF: each page has 25 KB at most (26 in Japanese), with thirteen months of numbers, and the first load 60 KB"
    )
    func weight() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            var players: [UserID] = []
            for _ in 0..<40 { players.append(try await server.guest(TestDevice()).member.userId) }
            try await Self.fill(server)
            for number in 0..<26 {
                try await server.insert(TestServer.importRunGoingOn("run-\(number)", at: server.clock.now))
                if number < 20 { try await server.bring(players[number], as: "YpE2Guest\(number)", by: "run-0") }
            }
            let kim = try await server.developer()
            for player in players.prefix(30) {
                _ = try await kim.perform("member.banned", ["user": player.rawValue], ["length": "3d"])
            }
            for player in players.prefix(12) {
                _ = try await kim.perform("ban.released", ["user": player.rawValue])
            }
            var shared = 0
            for file in try await kim.get("/console").html.matches(of: /(?:href|src)="([^"]*\/assets\/[^"]*)"/) {
                let answer = try await kim.get(String(file.output.1), headers: ["Accept-Encoding": "gzip"]).answer
                shared += try #require(answer.headers[.contentLength].flatMap { Int($0) })
            }
            #expect(shared > 10_000)
            for language in ["en", "ko", "ja"] {
                _ = try await kim.submit(kim.get("/console/me"), ["language": language], to: "/console/me")
                var paths = [
                    "/console", "/console/audit", "/console/operators", "/console/health", "/console/help",
                    "/console/help/overview", "\(Self.home)/members", "\(Self.home)/bans?state=all",
                    "\(Self.home)/audit", "\(Self.home)/hand-over", "/console/help/error-codes",
                    "\(Self.home)/refusals", "\(Self.home)/providers",
                    "\(Self.home)/launching", "\(Self.home)/members/\(players[0])", "\(Self.home)/imports",
                    "\(Self.home)/imports/run-0",
                ]
                for range in language == "en" ? ["24h", "7d", "30d", "90d", "13m"] : ["30d"] {
                    for compare in ["", "&compare=1"] {
                        let overview = "\(Self.home)?range=\(range)\(compare)"
                        let charts = Set(try await kim.get(overview).links.filter { $0.contains("/numbers/") })
                        #expect(charts.count == 10, "\(overview)")
                        paths += [overview] + charts
                    }
                }
                for path in paths {
                    let page = try await kim.get(path)
                    #expect(page.status == 200)
                    let bytes = page.html.utf8.count
                    let most = language == "ja" ? Self.japanesePage : Self.page
                    #expect(bytes <= most, "\(language) \(path): \(bytes)")
                    #expect(bytes + shared <= Self.firstLoad)
                }
            }
        }
    }

    // MARK: Lists

    /// How many rows the lists have: more than a page has.
    private static let rows = 60

    /// Each list, with what its rows' ids are found by and how many there are.
    private static let lists: [(path: String, id: String, count: Int)] = [
        ("\(home)/members", #"name="users" value="([A-Z0-9]+)""#, 3 * rows),
        ("\(home)/members?status=T&sort=-members.last-login", #"name="users" value="([A-Z0-9]+)""#, rows),
        ("\(home)/bans?state=in-force", #"/members/([A-Z0-9]+)""#, rows),
        ("\(home)/bans?state=all", #"/members/([A-Z0-9]+)""#, rows),
        ("\(home)/grace-bans?state=all", #"/members/([A-Z0-9]+)""#, rows),
        ("\(home)/withdrawals", #"/members/([A-Z0-9]+)""#, rows),
        ("\(home)/refusals", #"/refusals/([a-z0-9]+)""#, rows),
        ("\(home)/audit", #"id="d-([a-z0-9]+)""#, rows),
        ("/console/audit?app=\(TestServer.app)", #"id="d-([a-z0-9]+)""#, rows),
        ("/console/jobs?state=waiting", #"/do/job.retried\?job=([a-z0-9]+)""#, rows),
    ]

    /// Fills the lists with texts as long as people write them.
    private static func fillLists(_ server: TestServer) async throws {
        let (app, now) = (TestServer.app, server.clock.now.milliseconds)
        let text = String(repeating: "이용자 신고 세 번, <확인함> ", count: 4)
        let error = "The provider answered 503. \(text)"
        let attempt = #"{"at":\#(now),"error":"The provider answered 503."}"#
        let failures = "[\(attempt),\(attempt),\(attempt)]"
        let state = #"{"member.status":"Y","ban.reason":"\#(text)","ban.end":"for good"}"#
        let steps: SQL =
            "WITH RECURSIVE steps (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM steps WHERE n < \(rows - 1))"
        try await server.database.transact { tx in
            for (letter, status) in [("B", "B"), ("T", "T"), ("G", "P")] {
                try tx.execute(
                    """
                    \(steps) INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
                    SELECT \(app), \(letter)||printf('%015d', n), \(status), \(now) - n, \(now) - n FROM steps
                    """)
            }
            try tx.execute("UPDATE members SET ban_id = '0'||substr(user_id, 2) WHERE status = 'B'")
            try tx.execute("UPDATE members SET withdraws_at = \(now) + 86400000, due_at = \(now) WHERE status = 'T'")
            for statement in [
                """
                INSERT INTO bans (ban_id, app_id, user_id, ban_type, begins_at, reason, caller, registered_by)
                SELECT '0'||printf('%015d', n), \(app), 'B'||printf('%015d', n), 'PERMANENT', \(now), \(text), 'CONSOLE',
                    'kim' FROM steps
                """,
                """
                INSERT INTO grace_bans (grace_ban_id, app_id, user_id, message, begins_at, ends_at, required_amount,
                    required_count, currency, condition_type, paid_amount, paid_count, registered_by)
                SELECT '0'||printf('%015d', n), \(app), 'G'||printf('%015d', n), \(text), \(now), \(now) + 86400000, 500, 2,
                    'KRW', 'AND', 100, 1, 'kim' FROM steps
                """,
                """
                INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
                SELECT 'D'||printf('%015d', n), \(app), '0'||printf('%025d', n), 'withdrawal.done', 'player', 'v1', \(now)
                FROM steps
                """,
                """
                INSERT INTO refusals (refusal_id, app_id, transaction_id, code, call, idp, user_id, client, happened_at)
                SELECT '0'||printf('%025d', n), \(app), 't'||n, 7, '/v1/apps/{appId}/login', 'google',
                    'B'||printf('%015d', n), 'osCode=IOS&osVersion=26.1&clientVersion=1.'||n||'.0', \(now)
                FROM steps
                """,
                """
                INSERT INTO operator_actions (entry_id, app_id, operator_id, operator_name, role, action, target, reason,
                    ticket, state_before, state_after, transaction_id, address, once_key, happened_at)
                SELECT '0'||printf('%025d', n), \(app), 'kim', 'kim', 'owner', 'member.banned',
                    'member B'||printf('%015d', n), \(text), 'T-'||n, \(state), \(state), 't'||n, '127.0.0.1', n, \(now)
                FROM steps
                """,
                """
                INSERT INTO jobs (job_id, app_id, kind, state, attempts, next_at, last_error, failures, created_at)
                SELECT '0'||printf('%025d', n), \(app), 'revoke-idp-tokens', 'waiting', 3, \(now) + 9000000, \(error),
                    \(failures), \(now) FROM steps
                """,
            ] as [SQL] {
                try tx.execute("\(steps) \(statement)")
            }
        }
    }

    @Test(
        "UI-PERF: a full list has 25 KB at most in each language, as many rows as it may, and every row on one page",
        arguments: ["en", "ko", "ja"])
    func fullLists(language: String) async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            try await Self.fillLists(server)
            let kim = try await server.developer()
            let settings = ["language": language, "rows": "50"]
            _ = try await kim.submit(kim.get("/console/me"), settings, to: "/console/me")
            for (path, id, count) in Self.lists {
                let pattern = try Regex(id, as: (Substring, Substring).self)
                var (next, found): (String?, [String]) = (path, [])
                while let address = next, found.count <= count {
                    let page = try await kim.get(address)
                    // The page about deletions has three lists, of which the last goes on.
                    let list =
                        page.html.range(of: "id=\"completed\"").map { page.html[$0.upperBound...] } ?? page.html[...]
                    let ids = list.matches(of: pattern).map { String($0.output.1) }
                    let bytes = page.html.utf8.count
                    #expect(page.status == 200 && bytes <= Self.page, "\(address): \(bytes)")
                    next = page.older
                    #expect(next == nil || bytes > Self.page - 4_096 || ids.count >= 30, "\(address): \(bytes)")
                    guard !ids.isEmpty else { break }
                    found += ids
                }
                #expect(found.count == count && Set(found).count == count, "\(path): \(found.count)")
            }
            for path in [
                "\(Self.home)/refusals?group=member", "\(Self.home)/refusals?group=version", "/console/jobs",
                "\(Self.home)/members/B000000000000000",
            ] {
                let bytes = try await kim.get(path).html.utf8.count
                #expect((5_000...Self.page).contains(bytes), "\(path): \(bytes)")
            }
        }
    }
}
