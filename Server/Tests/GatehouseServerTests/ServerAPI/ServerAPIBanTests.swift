import FakeProviders
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Calls 8 to 12 and 14 to 16 of Gamebase's Server API.
@Suite struct ServerAPIBanTests {
    @Test(
        "BAN-1: 8 to 12, bans and releases are told with their callers, in the form of each version",
        arguments: Engine.ofDoors)
    func bans(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let (alice, bob) = try await Self.ban(in: server)
            try await Self.readHistories(of: alice, and: bob, in: server)
            try await Self.readOlderVersions(in: server)
            try await Self.release(alice, and: bob, in: server)
        }
    }

    /// A game server bans Alice for a day, and a second later an operator bans Bob for ever.
    private static func ban(in server: TestServer) async throws -> (alice: UserID, bob: UserID) {
        try await server.run(AddBanTemplate(code: 7, name: "Cheating", texts: ["en": "You cheated."]))
        let (alice, bob) = (try await server.logIn(.google, "alice").user, try await server.logIn(.google, "bob").user)
        let ban = """
            {"userIdList": ["\(alice)", "NOBODY"], "banTypeCode": "TEMPORARY", "end": "2026-11-22T09:00:00.000+09:00",
             "templateCode": 7, "banReason": "aimbot", "flags": "leaderboard", "banCaller": "APP_SERVER",
             "regUser": "anti-cheat"}
            """
        let banned = try await server.tcgb(.post, "gateway/v1.3/apps/{a}/members/ban", body: ban)
        #expect(banned.code == 0)
        #expect(banned["failedUserIdList"] == ["NOBODY"])
        let entry = try await server.run(.history(of: alice))[1]
        #expect(entry.origin.name == "anti-cheat")
        #expect(entry.origin.door.rawValue == "server-api")
        server.clock.advance(seconds: 1)
        _ = try await server.run(BanMembers([bob], until: nil), reason: "fraud")
        return (alice, bob)
    }

    private static func readHistories(of alice: UserID, and bob: UserID, in server: TestServer) async throws {
        let histories = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/bans?\(server.hours)")
        #expect(
            histories["pagingInfo"] == [
                "first": true, "last": true, "numberOfElements": 2, "page": 0, "size": 100, "totalElements": 2,
                "totalPages": 1,
            ])
        #expect(
            histories["result"]?[0] == [
                "userId": .string(alice.rawValue), "banCaller": "APP_SERVER", "banReason": "aimbot",
                "banType": "TEMPORARY", "beginDate": "2026-11-21T00:00:00+00:00",
                "endDate": "2026-11-22T00:00:00+00:00", "flags": "leaderboard", "name": "Cheating",
                "templateCode": 7,
            ])
        #expect(
            histories["result"]?[1] == [
                "userId": .string(bob.rawValue), "banCaller": "CONSOLE", "banReason": "fraud",
                "banType": "PERMANENT", "beginDate": "2026-11-21T00:00:01+00:00",
            ])
        for (page, user) in [bob, alice].enumerated() {
            let one = try await server.tcgb(
                .get, "member/v1.3/apps/{a}/members/bans?\(server.hours)&size=1&page=\(page)&order=DESC")
            #expect(one["result"]?[0]?["userId"]?.stringValue == user.rawValue)
            #expect(one["pagingInfo"]?["totalPages"] == 2)
            #expect(one["pagingInfo"]?["first"] == .bool(page == 0) && one["pagingInfo"]?["last"] == .bool(page == 1))
        }
        let beyond = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/bans?\(server.hours)&page=9")
        #expect(beyond["result"] == .array([]))
    }

    /// Older versions have numbers, and more members.
    private static func readOlderVersions(in server: TestServer) async throws {
        for version in ["v1.0", "v1.1", "v1.2"] {
            let old = try await server.tcgb(.get, "member/\(version)/apps/{a}/members/bans?\(server.hours)")
            let row = try #require(old["result"]?[0])
            #expect(
                old.names(row) == [
                    "appId", "banCaller", "banReason", "banType", "beginDate", "endDate", "flags", "message",
                    "name", "regUser", "seq", "templateCode", "userId",
                ])
            #expect(row["beginDate"] == .integer(server.clock.now.milliseconds - 1_000))
            #expect(row["endDate"] == .integer(server.clock.now.milliseconds - 1_000 + 86_400_000))
            #expect(row["message"] == "You cheated.")
            #expect(row["regUser"] == "anti-cheat")
            #expect(try #require(row["seq"]?.integerValue) < 1 << 53)
        }
    }

    private static func release(_ alice: UserID, and bob: UserID, in server: TestServer) async throws {
        let current = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/bans/current?order=ASC")
        #expect(current["result"]?.arrayValue?.count == 2)
        let release = """
            {"userIdList": ["\(bob)", "NOBODY"], "banReleaseReason": "appeal", "banReleaseCaller": "APP_SERVER",
             "releaseUser": "support"}
            """
        server.clock.advance(seconds: 10)
        let released = try await server.tcgb(.delete, "gateway/v1.3/apps/{a}/members/ban", body: release)
        #expect(released["failedUserIdList"] == ["NOBODY"])
        let releases = try await server.tcgb(
            .get, "member/v1.3/apps/{a}/members/bans/release?\(server.hours)&order=ASC")
        let row = try #require(releases["result"]?[0])
        #expect(row["userId"]?.stringValue == bob.rawValue)
        #expect(row["releaseCaller"] == "APP_SERVER")
        #expect(row["releaseReason"] == "appeal")
        #expect(row["releaseDate"] == "2026-11-21T00:00:11+00:00")
        #expect(row["releaseUser"] == nil)
        let oldReleases = try await server.tcgb(.get, "member/v1.2/apps/{a}/members/bans/release?\(server.hours)")
        #expect(oldReleases["result"]?[0]?["releaseDate"] == .integer(server.clock.now.milliseconds))
        #expect(oldReleases["result"]?[0]?["releaseUser"] == "support")
    }

    @Test(
        "8, 11: what a ban or a release lacks, or has wrong, is refused and changes nothing",
        arguments: Engine.ofDoors)
    func badBans(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let alice = try await server.logIn(.google, "alice")
            func body(_ changes: [String: JSONValue?]) throws -> String {
                var members: [String: JSONValue] = [
                    "userIdList": [.string(alice.user.rawValue)], "banTypeCode": "TEMPORARY",
                    "end": "2026-11-22T09:00:00+09:00", "banReason": "aimbot", "regUser": "anti-cheat",
                ]
                for (name, value) in changes { members[name] = value }
                return try TestServer.json(members)
            }
            let scenarios: [(changes: [String: JSONValue?], code: Int)] = [
                (["userIdList": nil], -4_000_002), (["banTypeCode": nil], -4_000_002), (["banReason": nil], -4_000_002),
                (["regUser": nil], -4_000_002), (["end": nil], -4_000_002), (["end": ""], -4_000_002),
                (["end": "tomorrow"], -4_000_001), (["end": "2020-01-01T00:00:00+00:00"], -4_000_005),
                (["banTypeCode": "FOREVER"], -4_000_003), (["userIdList": "one"], -4_000_001),
                (["userIdList": []], -4_000_005), (["templateCode": 99], -4_000_005),
                (["templateCode": "7"], -4_000_001), (["banReason": ""], -4_000_005), (["regUser": ""], -4_000_005),
                (["userIdList": .array((0...300).map { .string("USER\($0)") })], -4_000_005),
                (["flags": .string(String(repeating: "x", count: 300))], -4_000_005),
            ]
            for (changes, code) in scenarios {
                let answer = try await server.tcgb(.post, "gateway/v1.3/apps/{a}/members/ban", body: body(changes))
                #expect(answer.code == code, "\(changes)")
            }
            // A permanent ban needs no end, and one that is sent is ignored.
            let permanent = try await server.tcgb(
                .post, "gateway/v1.3/apps/{a}/members/ban", body: body(["banTypeCode": "PERMANENT"]))
            #expect(permanent.code == 0)
            for body in [
                #"{"userIdList": ["A"], "releaseUser": "x"}"#, #"{"banReleaseReason": "x", "releaseUser": "x"}"#,
            ] {
                let answer = try await server.tcgb(.delete, "gateway/v1.3/apps/{a}/members/ban", body: body)
                #expect(answer.code == -4_000_002)
            }
            for (query, code) in [
                ("", -4_000_002), ("begin=\(TestServer.query(0))", -4_000_002), ("begin=x&end=y", -4_000_001),
                ("\(server.hours)&page=-1", -4_000_005), ("\(server.hours)&size=0", -4_000_005),
                ("\(server.hours)&size=99999999999999999999", -4_000_001), ("\(server.hours)&order=UP", -4_000_001),
                ("begin=\(TestServer.query(2_000))&end=\(TestServer.query(1_000))", -4_000_005),
                ("begin=99999999999999999&end=1", -4_000_001),
            ] {
                let answer = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/bans?\(query)")
                #expect(answer.code == code, "\(query)")
            }
            // The plus is sent unencoded and encoded; older clients send numbers.
            for query in [
                "begin=2026-11-21T08:00:00+09:00&end=2026-11-21T10:00:00+09:00",
                "begin=2026-11-21T08%3a00%3a00%2b09%3a00&end=2026-11-21T10:00:00.000%2B09:00",
                "begin=1795215600000&end=1795222800000", "begin=2026-11-20T23:00:00Z&end=2026-11-21T01:00:00Z",
            ] {
                let answer = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/bans?\(query)")
                #expect(answer["pagingInfo"]?["totalElements"] == 1, "\(query)")
            }
        }
    }

    @Test(
        "WITHDRAW-5: 14 and 15, a withdrawal has a caller, and the list has each kind under its name",
        arguments: Engine.ofDoors)
    func withdrawals(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let byServer = try await server.logIn(.google, "server")
            let byOperator = try await server.logIn(.google, "operator")
            let cancelling = try await server.logIn(.google, "cancelling")
            let path = "gateway/v1.3/apps/{a}/members/\(byServer.user)"
            #expect(try await server.tcgb(.delete, path).code == -4_000_002)
            #expect(try await server.tcgb(.delete, path + "?regUser=two%20words").code == -4_000_005)
            let long = String(repeating: "x", count: 129)
            #expect(try await server.tcgb(.delete, path + "?regUser=\(long)").code == -4_000_008)
            #expect(try await server.tcgb(.delete, "gateway/v1.3/apps/{a}/members/NOBODY?regUser=x").code == -4_040_401)
            #expect(try await server.tcgb(.delete, path + "?regUser=game-server").code == 0)
            #expect(try await server.tcgb(.delete, path + "?regUser=game-server").code == -4_100_401)
            try await server.run(WithdrawMember(user: byOperator.user), reason: "asked by mail")
            _ = try await server.call(Endpoints.requestWithdrawal, Empty(), by: cancelling)
            _ = try await server.call(Endpoints.cancelWithdrawal, Empty(), by: cancelling)
            _ = try await server.call(Endpoints.withdraw, Empty(), by: cancelling)

            @Sendable func users(_ event: String?) async throws -> [String] {
                let query = event.map { "&eventLogType=\($0)" } ?? ""
                let answer = try await server.tcgb(.get, "member/v1.3/apps/{a}/logs/withdrawal?\(server.hours)\(query)")
                return (answer["result"]?.arrayValue ?? []).compactMap { row in
                    #expect(answer.names(row) == ["date", "regUser", "userId"])
                    return row["userId"]?.stringValue
                }
            }
            #expect(try await users(nil) == [byServer, byOperator, cancelling].map(\.user.rawValue))
            for (event, player) in [
                ("WAES", byServer), ("WACS", byOperator), ("WAA", cancelling), ("WAT", cancelling), ("WAC", cancelling),
            ] {
                #expect(try await users(event) == [player.user.rawValue], "\(event)")
            }
            #expect(try await users("WAHD") == [])
            let rows = try await server.tcgb(.get, "member/v1.3/apps/{a}/logs/withdrawal?\(server.hours)&size=3")
            #expect(rows["result"]?[0]?["regUser"] == "game-server")
            #expect(rows["result"]?[2]?["regUser"] == .null)
            #expect(rows["result"]?[0]?["date"] == "2026-11-21T00:00:00+00:00")
            let odd = try await server.tcgb(.get, "member/v1.3/apps/{a}/logs/withdrawal?\(server.hours)&eventLogType=X")
            #expect(odd.code == -4_000_001)
            // Only the last year is listed.
            server.clock.advance(seconds: 367 * 86_400)
            let year = try await server.tcgb(
                .get,
                "member/v1.3/apps/{a}/logs/withdrawal?begin=\(TestServer.query(0))&end=\(TestServer.query(server.clock.now.milliseconds))"
            )
            #expect(year["result"] == .array([]))
        }
    }

    @Test(
        "16: Apple's notifications, signed by Apple and by nobody else, without the secret key",
        arguments: Engine.ofDoors)
    func apple(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            _ = try await server.run(SetAccountPolicy { $0.signals.accountDeleted = .withdraw })
            server.clock.advance(seconds: 1)
            let player = try await server.call(
                Endpoints.logIn, server.idps.credential(.apple, for: "alice"), by: TestDevice()
            ).decoded(as: Login.self)
            @Sendable func notify(_ kind: String, signedBy key: FakeSigningKey? = nil) async throws -> ServerAPIAnswer {
                let (headers, body) = try server.idps.signal(.apple, kind, of: "alice", signedBy: key)
                return try await server.tcgb(
                    .post, "gateway/v1.3/apps/{a}/webhooks/apple/notifications",
                    body: String(decoding: body, as: UTF8.self),
                    headers: headers.merging([HeaderNames.secretKey: ""]) { $1 })
            }
            #expect(try await notify("account-deleted", signedBy: FakeSigningKey()).code != 0)
            #expect(try await server.history(player.member.userId) == ["member.created"])
            #expect(try await notify("account-deleted").code == 0)
            let history = try await server.tcgb(
                .get, "member/v1.3/apps/{a}/logs/withdrawal?\(server.hours)&eventLogType=WAAI")
            #expect(history["result"]?[0]?["userId"]?.stringValue == player.member.userId.rawValue)
            #expect(history["result"]?[0]?["regUser"] == "appleid")
            for body in ["", "{}", "[", #"{"payload": "x"}"#] {
                let answer = try await server.tcgb(
                    .post, "gateway/v1.3/apps/{a}/webhooks/apple/notifications", body: body)
                #expect(answer.code != 0)
            }
        }
    }
}

extension TestServer {
    /// A secret key of the other app.
    func otherSecret() async throws -> String {
        try await run(CreateSecret(), in: Self.otherApp).secretValue
    }
}
