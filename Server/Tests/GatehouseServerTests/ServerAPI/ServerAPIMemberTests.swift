import FakeProviders
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Calls 1 to 7 and 13 of Gamebase's Server API.
@Suite struct ServerAPIMemberTests {
    private static let olderVersions = ["v1.0", "v1.1"]

    @Test("INFO-3: 1, token authentication: the member as every version shows it", arguments: Engine.ofDoors)
    func authenticate(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let alice = try await server.logIn(.google, "alice")
            let path = "members/\(alice.user)/tokens/\(alice.access.secretValue)"
            let first = try await server.tcgb(.get, "gateway/v1.3/apps/{a}/\(path)")
            #expect(first.code == 0)
            #expect(first.names(first.body) == ["header", "member"])
            #expect(first.names(first["member"]) == ["appId", "authList", "regDate", "userId", "valid"])
            #expect(first["member"]?["regDate"]?.stringValue == "2026-11-21T00:00:00+00:00")
            #expect(first["member"]?["valid"]?.stringValue == "Y")
            let auth = try #require(first["member"]?["authList"]?[0])
            #expect(first.names(auth) == ["authKey", "authSystem", "idPCode", "regDate", "userId"])
            #expect(auth["authSystem"]?.stringValue == "gbid")
            #expect(auth["idPCode"]?.stringValue == "google")

            // A member that has logged in again has a last login date; one that is leaving has a deadline inside of the member.
            server.clock.advance(seconds: 90)
            let again = try await server.logIn(.google, "alice")
            _ = try await server.call(Endpoints.requestWithdrawal, Empty(), by: again)
            let againPath = "members/\(alice.user)/tokens/\(again.access.secretValue)?linkedIdP=true"
            for version in ["v1.0", "v1.1", "v1.2", "v1.3"] {
                let answer = try await server.tcgb(.get, "gateway/\(version)/apps/{a}/\(againPath)")
                #expect(answer["linkedIdP"]?["idPCode"]?.stringValue == "google")
                #expect(answer["linkedIdP"]?["idPId"]?.stringValue == server.idps.subject(of: "alice", at: .google))
                let member = try #require(answer["member"])
                #expect(member["valid"]?.stringValue == "T")
                let login = member["lastLoginDate"]
                let deadline = member["temporaryWithdrawal"]?["gracePeriodDate"]
                if Self.olderVersions.contains(version) {
                    #expect(login == .integer(server.clock.now.milliseconds))
                    #expect(deadline == .integer(server.clock.now.milliseconds + 7 * 86_400_000))
                    #expect(member["authList"]?[0]?["regDate"] == .integer(server.clock.now.milliseconds - 90_000))
                } else {
                    #expect(login?.stringValue == "2026-11-21T00:01:30+00:00")
                    #expect(deadline?.stringValue == "2026-11-28T00:01:30+00:00")
                    #expect(member["authList"]?[0]?["regDate"]?.stringValue == "2026-11-21T00:00:00+00:00")
                }
            }
        }
    }

    @Test(
        "1: a token that is over, of another app, of another member, or of one who can't play has its code, and shows nowhere",
        arguments: Engine.ofDoors)
    func tokens(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            @Sendable func code(_ player: Player, user: UserID? = nil, token: String? = nil) async throws -> Int? {
                let token = token ?? player.access.secretValue
                let answer = try await server.tcgb(
                    .get, "gateway/v1.3/apps/{a}/members/\(user ?? player.user)/tokens/\(token)")
                if token.count > 20 { #expect(!answer.text.contains(token)) }
                #expect(!server.audit.text.contains(player.access.secretValue))
                return answer.code
            }
            let alice = try await server.logIn(.google, "alice")
            let bob = try await server.logIn(.google, "bob")
            #expect(try await code(alice) == 0)
            #expect(try await code(alice, user: bob.user) == -4_010_203)
            #expect(try await code(alice, token: "not-a-token-of-anybody-here") == -4_010_203)
            let foreign = try await server.call(
                Endpoints.logIn, try server.credential(.google, "carol"), by: TestDevice(), app: TestServer.otherApp
            ).decoded(as: Login.self)
            #expect(
                try await code(
                    alice, user: foreign.member.userId, token: foreign.session.accessToken.secretValue) == -4_010_203)

            _ = try await server.logOut(bob.device, bob.login.session.refreshToken)
            #expect(try await code(bob) == -4_010_203)

            let banned = try await server.logIn(.google, "banned")
            _ = try await server.run(BanMembers([banned.user], until: nil), reason: "aimbot")
            #expect(try await code(banned) == -4_010_204)
            let leaver = try await server.logIn(.google, "leaver")
            _ = try await server.call(Endpoints.withdraw, Empty(), by: leaver)
            #expect(try await code(leaver) == -4_010_204)
            // A member whose last identity has moved away is missing.
            let loser = try await server.logIn(.google, "moved")
            let winner = try await server.guestPlayer()
            let ticket = try await server.ticket(.google, "moved", for: winner)
            _ = try await server.call(Endpoints.forceMapping, TicketUse(ticket), by: winner)
            #expect(try await code(loser) == -4_010_204)

            server.clock.advance(seconds: 3_601)
            #expect(try await code(alice) == -4_010_208)
        }
    }

    @Test(
        "INFO-4, LOGIN-9: 2, the profile and the token of the provider that the access token was issued with",
        arguments: Engine.ofDoors)
    func profile(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let alice = try await server.logIn(.google, "alice", accessToken: true)
            let query = "?accessToken=\(alice.access.secretValue)"
            let answer = try await server.tcgb(
                .get, "gateway/v1.3/apps/{a}/members/\(alice.user)/idps/google\(query)")
            #expect(answer.code == 0)
            #expect(answer["idPProfile"]?["sub"]?.stringValue == server.idps.subject(of: "alice", at: .google))
            #expect(answer["idPToken"]?["idPCode"]?.stringValue == "google")
            #expect(
                answer["idPToken"]?["accessToken"]?.stringValue?.isEmpty == false)
            #expect(!answer.text.contains(alice.access.secretValue))

            // Another provider than the token's; an unknown provider; an invalid token; and no token.
            let wrong = try await server.tcgb(
                .get, "gateway/v1.3/apps/{a}/members/\(alice.user)/idps/facebook\(query)")
            #expect(wrong.code == -4_000_404)
            #expect(!wrong.text.contains(alice.access.secretValue))
            let missing = try await server.tcgb(.get, "gateway/v1.3/apps/{a}/members/\(alice.user)/idps/google")
            #expect(missing.code == -4_000_002)
            let nobody = try await server.tcgb(
                .get, "gateway/v1.3/apps/{a}/members/\(alice.user)/idps/google?accessToken=x")
            #expect(nobody.code == -4_010_203)
            // After a login with the last provider it is not available.
            server.clock.advance(seconds: 10)
            let last = try await server.logInWithLastProvider(alice.device, alice.login.session.refreshToken)
                .decoded(as: Login.self)
            let over = try await server.tcgb(
                .get,
                "gateway/v1.3/apps/{a}/members/\(alice.user)/idps/google?accessToken=\(last.session.accessToken.secretValue)"
            )
            #expect(over.code == -4_010_208)
        }
    }

    @Test("3: a member, with its deadline beside it and what its device said of itself", arguments: Engine.ofDoors)
    func member(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            var client = ClientInformation()
            client.osCode = "IOS"
            client.deviceModel = "iPhone17,2 & more=100%"
            client.clientVersion = "1.2.0"
            let device = TestDevice()
            let login = try await server.logIn(
                device, headers: [HeaderNames.client: try #require(client.headerValue)]
            ).decoded(as: Login.self)
            let player = Player(device: device, login: login)
            _ = try await server.call(Endpoints.requestWithdrawal, Empty(), by: player)
            let answer = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/\(player.user)")
            #expect(answer.names(answer.body) == ["header", "member", "memberInfo", "temporaryWithdrawal"])
            #expect(answer["member"]?["temporaryWithdrawal"] == nil)
            #expect(
                answer["temporaryWithdrawal"]?["gracePeriodDate"]?.stringValue == "2026-11-28T00:00:00+00:00")
            #expect(
                answer["memberInfo"]
                    == ["osCode": "IOS", "deviceModel": "iPhone17,2 & more=100%", "clientVersion": "1.2.0"])
            let without = try await server.tcgb(
                .get, "member/v1.0/apps/{a}/members/\(player.user)?includeMemberInfo=false")
            #expect(without["memberInfo"] == nil)
            #expect(without["member"]?["regDate"] == .integer(server.clock.now.milliseconds))
            let odd = try await server.tcgb(
                .get, "member/v1.3/apps/{a}/members/\(player.user)?includeMemberInfo=perhaps")
            #expect(odd.code == -4_000_001)

            // The deadline passes, and the next call shows it.
            server.clock.advance(seconds: 7 * 86_400)
            let gone = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/\(player.user)")
            #expect(gone["member"]?["valid"]?.stringValue == "D")
            #expect(gone["member"]?["authList"] == .array([]))
            #expect(gone.names(gone.body) == ["header", "member"])
            #expect(try await server.tcgb(.get, "member/v1.3/apps/{a}/members/NOBODY").code == -4_040_401)
            // Another app's members are unknown here.
            let foreign = try await server.guest(TestDevice(), app: TestServer.otherApp)
            #expect(
                try await server.tcgb(.get, "member/v1.3/apps/{a}/members/\(foreign.member.userId)").code == -4_040_401)
        }
    }

    @Test("4 to 7: members, their identities, and the way back, up to 300 names", arguments: Engine.ofDoors)
    func lookup(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let google = try await server.logIn(.google, "alice")
            server.clock.advance(seconds: 1)
            let alice = try await server.mapped(.facebook, "alice", to: google)
            let guest = try await server.guestPlayer()
            let foreign = try await server.guest(TestDevice(), app: TestServer.otherApp).member.userId
            let banned = try await server.logIn(.google, "banned")
            _ = try await server.run(
                BanMembers([banned.user], until: server.clock.now.adding(seconds: 60)), reason: "spam")
            let names = try TestServer.json([alice.user, guest.user, foreign, banned.user, UserID("NOBODY")])

            @Sendable func letters(_ answer: ServerAPIAnswer) -> [String: String] {
                var letters: [String: String] = [:]
                for entry in answer["memberList"]?.arrayValue ?? [] {
                    #expect(answer.names(entry) == ["appId", "regDate", "userId", "valid"])
                    letters[entry["userId"]?.stringValue ?? ""] = entry["valid"]?.stringValue
                }
                return letters
            }
            for version in ["v1.0", "v1.3"] {
                let members = try await server.tcgb(.post, "member/\(version)/apps/{a}/members", body: names)
                #expect(
                    letters(members) == [
                        alice.user.rawValue: "Y", guest.user.rawValue: "Y", banned.user.rawValue: "B",
                    ])
                #expect(!members.text.contains(foreign.rawValue))
            }
            let wrapped = try await server.tcgb(
                .post, "member/v1.2/apps/{a}/members", body: #"{"userIdList": \#(names)}"#)
            #expect(letters(wrapped).count == 3)

            let keys = try await server.tcgb(.post, "member/v1.3/apps/{a}/auth/authKeys", body: names)
            #expect(keys["result"]?[foreign.rawValue] == nil)
            let entries = try #require(keys["result"]?[alice.user.rawValue]?.arrayValue)
            #expect(entries.map { $0["idPCode"]?.stringValue } == ["google", "facebook"])
            #expect(keys.names(entries.first) == ["authKey", "authSystem", "idPCode"])
            let guestKey = try #require(keys["result"]?[guest.user.rawValue]?[0]?["authKey"]?.stringValue)
            let authKeys = try TestServer.json(
                entries.compactMap { $0["authKey"]?.stringValue } + [guestKey, "nobody", ":"])
            let users = try await server.tcgb(
                .post, "member/v1.3/apps/{a}/members/userIds/authKeys?authSystem=gbid", body: authKeys)
            #expect(users["result"]?.objectValue?.count == 3)
            #expect(users["result"]?[guestKey]?.stringValue == guest.user.rawValue)

            let subject = server.idps.subject(of: "alice", at: .facebook)
            let byID = try await server.tcgb(
                .post, "gateway/v1.3/apps/{a}/idps/facebook/members", body: try TestServer.json([subject, "unknown"]))
            #expect(byID["result"] == .object([subject: .string(alice.user.rawValue)]))
            let otherIdP = try await server.tcgb(
                .post, "gateway/v1.3/apps/{a}/idps/line/members", body: try TestServer.json([subject]))
            #expect(otherIdP["result"] == .object([:]))

            let many = try TestServer.json((0..<300).map { "USER\($0)" })
            let tooMany = try TestServer.json((0...300).map { "USER\($0)" })
            for path in [
                "member/v1.3/apps/{a}/members", "member/v1.3/apps/{a}/auth/authKeys",
                "member/v1.3/apps/{a}/members/userIds/authKeys?authSystem=gbid",
                "gateway/v1.3/apps/{a}/idps/google/members",
            ] {
                #expect(try await server.tcgb(.post, path, body: many).code == 0)
                #expect(try await server.tcgb(.post, path, body: tooMany).code == -4_000_008)
                #expect(try await server.tcgb(.post, path, body: "[]").code == 0)
                #expect(try await server.tcgb(.post, path, body: "[1]").code == -4_000_001)
                #expect(try await server.tcgb(.post, path, body: #"["a""#).code == -4_150_001)
                #expect(try await server.tcgb(.post, path).code == -4_000_002)
                #expect(
                    try await server.tcgb(.post, path, body: "[]", headers: ["Content-Type": "text/plain"]).code
                        == -4_060_001)
            }
            #expect(
                try await server.tcgb(.post, "member/v1.3/apps/{a}/members/userIds/authKeys", body: "[]").code
                    == -4_000_002)
            #expect(
                try await server.tcgb(
                    .post, "member/v1.3/apps/{a}/members/userIds/authKeys?authSystem=other", body: "[]"
                ).code == -4_000_005)
        }
    }

    @Test(
        "TRANSFER-6: 13, a transfer account is validated, and each reason why not has its code",
        arguments: Engine.ofDoors)
    func transferAccount(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let guest = try await server.guestPlayer()
            let account = try await server.issue(for: guest)
            let password = try #require(account.password?.secretValue)
            @Sendable func validate(_ id: String, _ password: String, _ version: String = "v1.3") async throws
                -> ServerAPIAnswer
            {
                let answer = try await server.tcgb(
                    .post, "gateway/\(version)/apps/{a}/members/transfer-account",
                    body: #"{"account": {"id": "\#(id)", "password": "\#(password)"}}"#)
                #expect(!answer.text.contains(password))
                return answer
            }
            for version in ["v1.3", "v1.1.2"] {
                let good = try await validate(account.id, password, version)
                #expect(good.code == 0)
                #expect(good["member"]?["userId"]?.stringValue == guest.user.rawValue)
                #expect(good.names(good["member"]) == ["appId", "regDate", "userId", "valid"])
                #expect(good["member"]?["regDate"]?.stringValue == "2026-11-21T00:00:00+00:00")
            }
            #expect(try await validate("000000000000", password).code == -4_040_920)
            for _ in 0..<5 { #expect(try await validate(account.id, "wrongWRONG1").code == -4_000_927) }
            #expect(try await validate(account.id, password).code == -4_000_901)
            server.clock.advance(seconds: 3_600)
            let redemption = TransferRedemption(id: account.id, password: TransferPassword(password))
            #expect(try await server.call(Endpoints.redeemTransferAccount, redemption, by: TestDevice()).status == 200)
            #expect(try await validate(account.id, password).code == -4_100_402)

            let other = try await server.guestPlayer()
            let second = try await server.issue(for: other)
            server.clock.advance(seconds: 30 * 86_400)
            #expect(try await validate(second.id, try #require(second.password?.secretValue)).code == -4_100_403)
            #expect(try await validate("", "passWORD1").code == -4_000_005)
            _ = try await server.run(SetTransferPolicy { $0.transfer = nil })
            server.clock.advance(seconds: 1)
            #expect(try await validate(account.id, password).code == -4_040_901)
            let malformed = try await server.tcgb(
                .post, "gateway/v1.3/apps/{a}/members/transfer-account", body: #"{"account": {"id": "1"}}"#)
            #expect(malformed.code == -4_000_002)
        }
    }
}
