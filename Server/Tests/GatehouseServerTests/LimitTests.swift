import FakeProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct LimitTests {
    @Test("New guests of one address are limited per app; returning ones pass", arguments: Engine.available)
    func newGuests(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.newGuestsPerMinute = 3 })
            world.clock.advance(seconds: 1)
            let devices = (0..<3).map { _ in TestDevice() }
            for device in devices { #expect(try await world.logIn(device).status == 200) }
            let refused = try await world.logIn(TestDevice())
            #expect(refused.status == 429)
            #expect(refused.code == 8001)
            #expect(refused.reason == "too_many_requests")
            #expect(refused.headers[.retryAfter] == "20")
            for device in devices { #expect(try await world.logIn(device).status == 200) }
            #expect(try await world.logIn(TestDevice(), app: World.otherApp).status == 200)
            #expect(world.audit.events.contains("limit.reached"))

            world.clock.advance(seconds: 20)
            #expect(try await world.logIn(TestDevice()).status == 200)
            #expect(try await world.logIn(TestDevice()).status == 429)
            _ = try await world.run(ChangeLimits { $0.newGuestsPerMinute = 0 })
            world.clock.advance(seconds: 1)
            for _ in 0..<10 { #expect(try await world.logIn(TestDevice()).status == 200) }
        }
    }

    @Test("An address with too many refused proofs is not verified for, until its time has come")
    func refusedProofs() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.run(ChangeLimits { $0.refusedProofsPerMinute = 5 })
            world.clock.advance(seconds: 1)
            let device = TestDevice()
            for _ in 0..<5 {
                #expect(try await world.logIn(device, headers: [HeaderNames.proof: "nonsense"]).status == 401)
            }
            let refused = try await world.logIn(device)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "12")
            world.clock.advance(seconds: 12)
            #expect(try await world.logIn(device).status == 200)
        }
    }

    @Test("INP-2: new guests that come all at once are no more than one after another", arguments: Engine.available)
    func guestsAtOnce(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.newGuestsPerMinute = 5 })
            world.clock.advance(seconds: 1)
            let known = TestDevice()
            #expect(try await world.logIn(known).status == 200)
            let answers = try await together(40) { _ in try await world.logIn(TestDevice()).status }
            #expect(answers.count { $0 == 200 } == 4)
            #expect(answers.count { $0 == 429 } == 36)
            #expect(try await world.rowCounts()[0] == 5)
            #expect(try await world.logIn(known).status == 200)
        }
    }

    @Test("Returning guests, repeated and refused logins take no place of new guests", arguments: Engine.available)
    func placesGivenBack(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.newGuestsPerMinute = 2 })
            world.clock.advance(seconds: 1)
            let device = TestDevice()
            let key = [HeaderNames.idempotencyKey: "the-same-call"]
            for _ in 0..<4 { #expect(try await world.logIn(device, headers: key).status == 200) }
            for _ in 0..<4 { #expect(try await world.logIn(device).status == 200) }
            try await world.run(SetStatus(status: .maintenance, message: [:]))
            world.clock.advance(seconds: 1)
            for _ in 0..<4 { #expect(try await world.logIn(TestDevice()).code == 3701) }
            try await world.run(SetStatus(status: .inService, message: [:]))
            world.clock.advance(seconds: 1)
            #expect(try await world.logIn(TestDevice()).status == 200)
            #expect(try await world.logIn(TestDevice()).status == 429)
        }
    }

    @Test(
        "IDP-13: refused credentials are counted of device and address before the provider is asked, each call once",
        arguments: Engine.available)
    func refusedCredentials(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.refusedProofsPerMinute = 8 })
            world.clock.advance(seconds: 1)
            @Sendable func wrong(_ device: TestDevice, _ code: String, key: String? = nil) async throws -> Int {
                var credential = Credential(provider: .naver)
                credential.authorizationCode = ProviderToken(code)
                return try await world.call(
                    Endpoints.logIn, credential, by: device,
                    headers: key.map { [HeaderNames.idempotencyKey: $0] } ?? [:]
                ).status
            }
            let device = TestDevice()
            // This is one call, sent six times.
            for _ in 0..<6 { #expect(try await wrong(device, "made-up", key: "one-and-the-same") == 401) }
            for number in 0..<7 { #expect(try await wrong(device, "made-up-\(number)") == 401) }
            let asked = world.idps.requests(to: .naver)
            for number in 0..<20 { #expect(try await wrong(device, "more-\(number)") == 429) }
            for number in 0..<20 { #expect(try await wrong(TestDevice(), "else-\(number)") == 429) }
            // A call that has been counted may not ask the provider again either.
            #expect(try await wrong(device, "made-up", key: "one-and-the-same") == 429)
            #expect(world.idps.requests(to: .naver) == asked)
            world.clock.advance(seconds: 60)
            // A valid credential is not counted.
            for number in 0..<12 {
                let credential = try world.idps.credential(.naver, for: "player-\(number)")
                #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
            }
            let answers = try await together(30) { number in try await wrong(TestDevice(), "together-\(number)") }
            #expect(answers.count { $0 == 401 } == 8)
            #expect(answers.count { $0 == 429 } == 22)
        }
    }

    @Test(
        "INP-2: calls that change something are limited for each device and for each member",
        arguments: Engine.available)
    func changes(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.changesPerMinute = 10 })
            world.clock.advance(seconds: 1)
            let player = try await world.logIn(.google, "alice")
            for _ in 0..<9 {
                #expect(try await world.refresh(player.device, player.login.session.refreshToken).status == 200)
            }
            let refused = try await world.refresh(player.device, player.login.session.refreshToken)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "6")
            #expect(refused.error?.message == "Too many requests from this device.")
            // Reading calls are still accepted.
            #expect(try await world.heartbeat(player.device, player.access).status == 200)
            world.clock.advance(seconds: 60)
            // Calls of the member on another device count too.
            let other = try await world.logIn(.google, "alice")
            for number in 0..<10 {
                let endpoint = number % 2 == 0 ? Endpoints.requestWithdrawal : Endpoints.cancelWithdrawal
                let by = number < 5 ? player : other
                #expect(try await world.call(endpoint, Empty(), by: by).status == 200)
            }
            for by in [player, other] {
                #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: by).status == 429)
            }
            _ = try await world.run(ChangeLimits { $0.changesPerMinute = 0 })
            world.clock.advance(seconds: 1)
            for _ in 0..<30 {
                #expect(try await world.refresh(player.device, player.login.session.refreshToken).status == 200)
            }
        }
    }

    @Test(
        "SES-5: of more live sessions than the app allows, the oldest ends for the newest", arguments: Engine.available)
    func liveSessions(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.liveSessions = 3 })
            var players: [Player] = []
            for _ in 0..<5 {
                world.clock.advance(seconds: 2)
                players.append(try await world.logIn(.google, "alice"))
            }
            for player in players.prefix(2) {
                let ended = try await world.heartbeat(player.device, player.access)
                #expect(ended.code == 3011)
                #expect(ended.reason == "too_many_sessions")
            }
            for player in players.suffix(3) {
                #expect(try await world.heartbeat(player.device, player.access).status == 200)
            }
            #expect(try await world.count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL") == 3)
            // Game servers that verify tokens offline are informed.
            #expect(
                try await world.count("SELECT COUNT(*) FROM revocations WHERE reason = 'too_many_sessions'") == 2)
        }
    }

    @Test(
        "TRF-2: wrong keys and passwords are bounded over all addresses and nodes, by a limit of their own",
        arguments: Engine.available)
    func wrongTransfers(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(
                ChangeLimits { limits in
                    limits.refusedProofsPerMinute = 0
                    limits.wrongTransfersPerHour = 4
                })
            world.clock.advance(seconds: 1)
            let account = try await world.issue(for: world.guestPlayer())
            @Sendable func key(_ world: World) async throws -> TestAnswer {
                try await world.call(
                    Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: "Abcdef12"), by: TestDevice())
            }
            for _ in 0..<2 { #expect(try await key(world).code == 3033) }
            try await world.onSecondNode { node in
                for _ in 0..<2 { #expect(try await key(node).code == 3033) }
                let refused = try await key(node)
                #expect(refused.status == 429)
            }
            let refused = try await key(world)
            #expect(refused.status == 429)
            #expect(refused.reason == "too_many_requests")
            // Accounts are counted separately: an attack on keys does not lock them.
            for number in 0..<4 {
                #expect(try await world.redeem("00000000000\(number)", "Abcdefgh12", on: TestDevice()).code == 3043)
            }
            #expect(try await world.redeem(account, on: TestDevice()).status == 429)
            world.clock.advance(seconds: 3_600)
            #expect(try await world.redeem(account, on: TestDevice()).status == 200)
        }
    }
}
