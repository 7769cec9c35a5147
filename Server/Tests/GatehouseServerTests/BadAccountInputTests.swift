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

/// Tests every parameter of every call about accounts: absent, of a wrong type, empty, too long, with NUL, another member's.
@Suite struct BadAccountInputTests {
    /// A call with a valid body, which a test then modifies.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let endpoint: AnyEndpoint
        let body: @Sendable (TestServer, Player) throws -> [String: JSONValue]
        /// Parameters that may be absent.
        var optional: Set<String> = []
        var testDescription: String { endpoint.template }

        init<Request, Response>(
            _ endpoint: Endpoint<Request, Response>, optional: Set<String> = [],
            _ body: @escaping @Sendable (TestServer, Player) throws -> [String: JSONValue]
        ) {
            self.endpoint = AnyEndpoint(endpoint)
            self.body = body
            self.optional = optional
        }

        init<Request, Response>(
            _ endpoint: GameServerEndpoint<Request, Response>, optional: Set<String> = [],
            _ body: @escaping @Sendable (TestServer, Player) throws -> [String: JSONValue]
        ) {
            self.endpoint = AnyEndpoint(endpoint)
            self.body = body
            self.optional = optional
        }
    }

    static let scenarios: [Scenario] = [
        Scenario(Endpoints.logIn, optional: ["nonce"]) { server, _ in
            [
                "provider": "google", "nonce": "n",
                "idToken": .string(
                    try server.idps.idToken(.google, for: "nobody", claims: ["nonce": "n"]).secretValue),
            ]
        },
        Scenario(Endpoints.addMapping, optional: ["nonce"]) { server, _ in
            [
                "provider": "google", "nonce": "n",
                "idToken": .string(
                    try server.idps.idToken(.google, for: "nobody", claims: ["nonce": "n"]).secretValue),
            ]
        },
        Scenario(Endpoints.migrate, optional: ["replaceGuest"]) { _, _ in
            ["source": "old", "credential": ["kind": "idToken", "value": "token"], "replaceGuest": true]
        },
        Scenario(Endpoints.confirmMigration, optional: ["replaceGuest"]) { _, _ in
            ["source": "old", "legacyId": "p1", "deviceTicket": "ticket", "replaceGuest": true]
        },
        Scenario(Endpoints.lookUpMigrations) { _, _ in ["source": "old", "legacyIds": ["p1"]] },
        Scenario(Endpoints.forceMapping) { _, player in
            ["forcingMappingKey": "a.b", "provider": "google", "mappedUserId": .string(player.user.rawValue)]
        },
        Scenario(Endpoints.changeLogin) { _, player in
            ["forcingMappingKey": "a.b", "provider": "google", "mappedUserId": .string(player.user.rawValue)]
        },
        Scenario(Endpoints.removeMapping) { _, _ in ["provider": "google"] },
        Scenario(Endpoints.renewTransferAccount, optional: ["id", "password"]) { _, _ in
            ["target": "idAndPassword", "id": "123456789012", "password": "Abcdefgh12"]
        },
        Scenario(Endpoints.redeemTransferAccount) { _, _ in ["id": "123456789012", "password": "Abcdefgh12"] },
        Scenario(Endpoints.issueTransferKey) { _, _ in ["validSeconds": 0] },
        Scenario(Endpoints.redeemTransferKey) { _, _ in ["transferKey": "1i9eiAi7"] },
        Scenario(Endpoints.ban, optional: ["endDate", "templateCode"]) { server, player in
            [
                "userIds": [.string("AAAAAAAAAAAAAAAA")], "banType": "TEMPORARY", "reason": "r", "registeredBy": "s",
                "endDate": .integer(server.clock.now.milliseconds + 1_000), "templateCode": 1,
            ]
        },
        Scenario(Endpoints.providerProfile) { _, _ in ["userId": "AAAAAAAAAAAAAAAA", "provider": "google"] },
        Scenario(Endpoints.releaseBan) { _, player in
            ["userIds": [.string("AAAAAAAAAAAAAAAA")], "reason": "r", "registeredBy": "s"]
        },
        Scenario(Endpoints.registerGraceBan) { _, _ in
            ["userId": "AAAAAAAAAAAAAAAA", "graceBan": ["gracePeriodDate": 1], "registeredBy": "s"]
        },
        Scenario(Endpoints.releaseGraceBan) { _, player in
            ["userId": .string(player.user.rawValue), "reason": "r", "registeredBy": "s"]
        },
        Scenario(Endpoints.reportPayment) { _, _ in
            ["userId": "AAAAAAAAAAAAAAAA", "paymentId": "p", "amount": 1, "currency": "KRW"]
        },
        Scenario(Endpoints.endSession) { _, _ in ["sessionId": "01k7ug5grod55d1un1046c9p9t"] },
        Scenario(Endpoints.memberSessions, optional: ["after"]) { _, _ in
            ["userId": "AAAAAAAAAAAAAAAA", "after": "01k7ug5grod55d1un1046c9p9t"]
        },
        Scenario(Endpoints.endMemberSession) { _, player in
            ["userId": .string(player.user.rawValue), "sessionId": "01k7ug5grod55d1un1046c9p9t", "registeredBy": "s"]
        },
        Scenario(Endpoints.kickOut, optional: ["userId"]) { _, _ in
            ["userId": "AAAAAAAAAAAAAAAA", "message": ["en": "Bye"], "registeredBy": "s"]
        },
    ]

    static let wrongValues: [JSONValue] = [
        .null, true, 1, -1, 1.5, .integer(.max), "", "\u{1}", "../../etc/passwd", "' OR 1=1 --", "\u{202e}x", "🧨",
        .string(String(repeating: "x", count: 5_000)), [], [1], ["a": 1], [["a": []]],
    ]

    @Test(
        "INP-1, INP-3, INP-5, INP-7: whatever stands in a parameter, the answer is a code of the table, and nothing is written",
        arguments: scenarios)
    func parameters(scenario: Scenario) async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.guestPlayer()
            _ = try await server.issue(for: player)
            // The limits are removed, so that only this call's own parameters decide.
            _ = try await server.run(
                SetLimits { limits in
                    limits.newGuestsPerMinute = 0
                    limits.refusedProofsPerMinute = 0
                    limits.changesPerMinute = 0
                    limits.wrongTransfersPerHour = 0
                })
            server.clock.advance(seconds: 1)
            let good = try scenario.body(server, player)
            // A stored refusal uses up its proof, and a wrong id counts as a guess of its device.
            let counts: Set = ["spent_proofs", "transfer_attempts"]
            let before = try await server.database.dump(without: counts)
            var bodies: [String] = []
            for name in good.keys.sorted() {
                if !scenario.optional.contains(name) {
                    var body = good
                    body[name] = nil
                    bodies.append(try TestServer.json(body))
                }
                for value in Self.wrongValues where !scenario.accepts(value, for: name) {
                    var body = good
                    body[name] = value
                    bodies.append(try TestServer.json(body))
                }
                var body = good
                body[name] = "NUL"
                bodies.append(try TestServer.json(body).replacing(#""NUL""#, with: #""a\u0000b""#))
            }
            for body in bodies {
                let answer = try await server.send(scenario, body, by: player)
                let error = try #require(answer.error, "\(body.prefix(200)) was answered with \(answer.status)")
                #expect((400...499).contains(answer.status), "\(body.prefix(200))")
                #expect(error.code.row != nil)
                #expect(error.code != .serverInternalError)
                for leak in ["SELECT", "sqlite", "Swift", "DecodingError", "gsk_"] {
                    #expect(!answer.text.contains(leak))
                }
            }
            #expect(try await server.database.dump(without: counts) == before)
        }
    }

    @Test("SES-9: nothing of one app is anything in another")
    func otherApp() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.guestPlayer()
            let elsewhere = try await server.guest(player.device, app: TestServer.otherApp).member.userId
            let account = try await server.issue(for: player)
            let password = try #require(account.password)
            let key = try await server.call(
                Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60), by: player
            )
            .decoded(as: TransferKey.self)
            for answer in [
                try await server.call(
                    Endpoints.redeemTransferAccount, TransferRedemption(id: account.id, password: password),
                    by: TestDevice(), app: TestServer.otherApp),
                try await server.call(
                    Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key.transferKey), by: TestDevice(),
                    app: TestServer.otherApp),
                try await server.call(Endpoints.withdraw, Empty(), by: player, app: TestServer.otherApp),
            ] {
                #expect([3043, 3033, 3011].contains(answer.code))
                #expect(!answer.text.contains(player.user.rawValue))
            }
            let pay = PaymentReport(userId: elsewhere, paymentId: "p", amount: 1, currency: "KRW")
            #expect(try await server.call(gameServer: Endpoints.reportPayment, pay).code == 3003)
            #expect(try await server.call(gameServer: Endpoints.reportPayment, pay, app: TestServer.otherApp).code == 5)
            await #expect(throws: Refusal.self) { _ = try await server.run(.memberReport(of: elsewhere)) }
            #expect(try await server.run(.history(of: elsewhere)).isEmpty)
        }
    }

    @Test(
        "KEY-2: what a game server may, no player may", arguments: [Endpoints.ban.template, Endpoints.kickOut.template])
    func playersAreNoServers(template: String) async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.guestPlayer()
            let answer = try await server.send(
                .post, template, by: player.device, token: player.access.secretValue,
                body:
                    #"{"userIds":["\#(player.user)"],"banType":"PERMANENT","reason":"r","registeredBy":"s","message":{}}"#
            )
            #expect(answer.code == 5)
        }
    }
}

extension BadAccountInputTests.Scenario {
    /// Unusual values that are valid for a parameter.
    fileprivate func accepts(_ value: JSONValue, for name: String) -> Bool {
        switch (name, value) {
        // In JSON this means absent.
        case (_, .null): optional.contains(name)
        // A grace ban's release and a redemption need existing names; these may be anything printable.
        case ("registeredBy", .string(let text)), ("reason", .string(let text)): !text.isEmpty && text.utf8.count <= 128
        case ("amount", .number), ("amount", .integer(1)): true
        case ("message", .object): true
        case ("validSeconds", .integer(1)): true
        case ("paymentId", .string(let text)): !text.isEmpty && text.utf8.count <= 128
        default: false
        }
    }
}

extension TestServer {
    fileprivate func send(
        _ scenario: BadAccountInputTests.Scenario, _ body: String, by player: Player
    ) async throws -> TestAnswer {
        let endpoint = scenario.endpoint
        let path = TestCall.path(endpoint.template)
        switch endpoint.access {
        case .secretKey:
            return try await send(
                TestCall(path: path, headers: [HeaderNames.secretKey: secret.secretValue], body: body))
        case .device(.accessToken):
            return try await send(
                .post, endpoint.template, by: player.device, token: player.access.secretValue, body: body)
        default:
            return try await send(.post, endpoint.template, by: TestDevice(), body: body)
        }
    }
}
