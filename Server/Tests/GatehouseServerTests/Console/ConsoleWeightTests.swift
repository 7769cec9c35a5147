import Foundation
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// UI-PERF: how much of the console goes over the wire.
@Suite struct ConsoleWeightTests {
    private static let home = "/console/apps/\(World.app)"
    private static let page = 25 * 1_024
    private static let firstLoad = 60 * 1_024

    /// Writes thirteen months and the period before of every metric, with eight providers and eight error codes.
    private static func fill(_ world: World) async throws {
        let providers = ["guest", "google", "appleid", "facebook", "line", "naver", "kakao", "twitter"]
        let codes = [7, 3_201, 3_202, 3_301, 3_302, 3_701, 4_001, 8_001].map(String.init)
        let day: Int64 = 86_400_000
        // The world's writers have nothing in these tables yet, because the service that counts does not run.
        let today = world.clock.now.milliseconds / day * day
        let hour = world.clock.now.milliseconds / 3_600_000 * 3_600_000
        try await world.database.transact { tx in
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
                            SELECT \(World.app), \(unit), \(metric.rawValue), \(last) - n * \(length), \(label),
                                900 + (n * 7919 + \(number) * 104729) % 44000
                            FROM steps
                            """)
                    }
                }
            }
        }
    }

    @Test(
        "UI-PERF: each page has 25 KB at most, with thirteen months of numbers in every range, and the first load 60 KB"
    )
    func weight() async throws {
        try await World.openConsole(on: .sqlite) { world in
            var players: [UserID] = []
            for _ in 0..<40 { players.append(try await world.guest(TestDevice()).member.userId) }
            try await Self.fill(world)
            let kim = try await world.developer()
            for player in players.prefix(30) {
                _ = try await kim.perform("member.banned", ["user": player.rawValue], ["length": "3d"])
            }
            for player in players.prefix(12) {
                _ = try await kim.perform("ban.released", ["user": player.rawValue])
            }
            var shared = 0
            for file in try await kim.get("/console").html.matches(of: /(?:href|src)="([^"]*\/assets\/[^"]*)"/) {
                shared += try await kim.get(String(file.output.1)).html.utf8.count
            }
            #expect(shared > 20_000)
            for language in ["en", "ko", "ja"] {
                _ = try await kim.submit(kim.get("/console/me"), ["language": language], to: "/console/me")
                var paths = [
                    "/console", "/console/audit", "/console/operators", "/console/health", "/console/help",
                    "/console/help/overview", "\(Self.home)/members", "\(Self.home)/bans?state=all",
                    "\(Self.home)/audit", "\(Self.home)/refusals", "\(Self.home)/providers",
                    "\(Self.home)/launching", "\(Self.home)/members/\(players[0])",
                ]
                for range in language == "en" ? ["24h", "7d", "30d", "90d", "13m"] : ["30d"] {
                    for compare in ["", "&compare=1"] {
                        let overview = "\(Self.home)?range=\(range)\(compare)"
                        let charts = try await kim.get(overview).links.filter { $0.contains("/numbers/") }
                        #expect(charts.count == 10, "\(overview)")
                        paths += [overview] + charts
                    }
                }
                for path in paths {
                    let page = try await kim.get(path)
                    #expect(page.status == 200)
                    let bytes = page.html.utf8.count
                    #expect(bytes <= Self.page, "\(language) \(path): \(bytes)")
                    #expect(bytes + shared <= Self.firstLoad)
                }
            }
        }
    }
}
