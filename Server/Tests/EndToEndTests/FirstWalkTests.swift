import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import Synchronization
import TestDatabases
import Testing

/// The real SDK against the real server, over loopback.
@Suite(.timeLimit(.minutes(10))) struct FirstWalkTests {
    @Test(
        "A guest is in, comes back without being asked, is verified by the game's server, and logs out",
        arguments: Engine.ofDoors)
    func walk(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let storage = MemoryStorage()
            let device = server.device(storage)
            #expect(try await device.start().isPlayable)
            let first = try await device.logIn(with: .guest)
            #expect(first.member.userId.rawValue.count == UserID.length)
            #expect(try await device.fetchMember().userId == first.member.userId)
            #expect(try await device.sendHeartbeat().standing.isPlayable)

            // The next day, after a restart of the game.
            let next = server.device(storage)
            try await next.start()
            #expect(next.lastProvider == .guest)
            let again = try await next.logInWithLastProvider()
            #expect(again.member.userId == first.member.userId)

            let token = try await next.validAccessToken()
            let checked = try await server.check(token)
            let check = try JSONDecoder().decode(TokenCheck.self, from: checked.body)
            #expect(check.member.userId == first.member.userId)

            try await next.logOut()
            #expect(next.state == .signedOut(.loggedOut))
            let refused = try await server.check(token)
            #expect(refused.status == 401)
            let error = try JSONDecoder().decode(ErrorEnvelope.self, from: refused.body).error
            #expect(error.code == .authInvalidGatehouseToken)

            // The guest stays on the device: it is the same player in a new session.
            #expect(try await next.logIn(with: .guest).member.userId == first.member.userId)
            #expect(try await server.members() == 1)
        }
    }

    @Test(
        "SES-2: a device whose clock is wrong learns the server's time from the refusal, and is in at once",
        arguments: [-365.0, 365.0, 0.01])
    func wrongClock(days: Double) async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let offset = Mutex<Int64>(0)
            let live = GatehouseClient.Environment.live()
            var environment = live
            environment.wallMilliseconds = { live.wallMilliseconds() + Int64(days * 86_400_000) }
            environment.monotonicMilliseconds = { live.monotonicMilliseconds() + offset.withLock { $0 } }
            let wiretap = Wiretap()
            let device = server.device(MemoryStorage(), wiretap.environment(environment))
            // The response to the start contains the server's time. Then the device's clock becomes wrong, as after a suspension.
            try await device.start()
            offset.withLock { $0 = Int64(days * 86_400_000) }
            _ = try await device.logIn(with: .guest)
            #expect(wiretap.answers.map(\.status) == [200, 401, 200])
            _ = try await device.fetchMember()
            #expect(wiretap.answers.map(\.status) == [200, 401, 200, 200])
        }
    }

    @Test("LOGIN-13, SES-4: answers that get lost make no second member", arguments: Engine.ofDoors)
    func lostAnswers(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let wiretap = Wiretap()
            let storage = MemoryStorage()
            let device = server.device(storage, wiretap.environment())
            try await device.start()
            wiretap.loseNextAnswers(2)
            let login = try await device.logIn(with: .guest)
            #expect(try await server.members() == 1)
            let tries = wiretap.requests.suffix(3)
            #expect(Set(tries.map { $0.headers["Idempotency-Key"] }).count == 1)
            #expect(Set(tries.map { $0.headers["DPoP"] }).count == 3)
            let answers = try wiretap.answers.suffix(3).map { try JSONDecoder().decode(Login.self, from: $0.body) }
            #expect(Set(answers.map(\.session.refreshToken)).count == 1)
            #expect(answers.allSatisfy { $0.member.userId == login.member.userId })

            // All attempts are lost. The next login of the device is still the same member.
            try await device.logOut()
            wiretap.loseNextAnswers(3)
            #expect(await failure { try await device.logIn(with: .guest) }?.code == .socketResponseTimeout)
            let member = try await device.logIn(with: .guest).member
            #expect(member.userId == login.member.userId)
            #expect(try await server.members() == 1)
        }
    }

    @Test("LOGIN-8: a server that is gone costs nothing but the call")
    func gone() async throws {
        let storage = MemoryStorage()
        let login = Mutex<Login?>(nil)
        let device = Mutex<GatehouseClient?>(nil)
        try await LiveServer.run(on: .sqlite) { server in
            let first = server.device(storage)
            try await first.start()
            let made = try await first.logIn(with: .guest)
            login.withLock { $0 = made }
            let next = server.device(storage)
            try await next.start()
            device.withLock { $0 = next }
        }
        let next = try device.withLock { $0 }.unwrapped()
        let member = try login.withLock { $0 }.unwrapped().member
        #expect(await failure { try await next.logInWithLastProvider() }?.code == .socketError)
        #expect(next.state == .offline(member))
        #expect(next.userID == nil)
        #expect(Set(storage.contents.keys) == ["device-key", "session"])
    }
}
