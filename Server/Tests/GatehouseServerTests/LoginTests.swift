import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct LoginTests {
    @Test(
        "LOGIN-1, LOGIN-4: the first login of a device makes a member, every later one returns it",
        arguments: Engine.available)
    func firstAndLaterLogins(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let first = try await world.guest(device)
            #expect(first.member.userId.rawValue.count == UserID.length)
            #expect(first.member.userId.rawValue.allSatisfy { UserID.alphabet.contains($0) })
            #expect(first.member.status == .normal)
            #expect(first.member.mappings.map(\.provider) == [.guest])
            #expect(first.member.mappings.map(\.subject) == [device.thumbprint.rawValue])
            #expect(first.member.registrationDate == world.clock.now.milliseconds)
            #expect(first.session.refreshToken != nil)
            #expect(first.standing.isPlayable)
            #expect(world.audit.events == ["member.created"])

            world.clock.advance(seconds: 86_400)
            let second = try await world.guest(device)
            #expect(second.member.userId == first.member.userId)
            #expect(second.member.registrationDate == first.member.registrationDate)
            #expect(second.member.lastLoginDate == world.clock.now.milliseconds)
            #expect(world.audit.events == ["member.created", "member.logged-in"])

            let other = try await world.guest(TestDevice())
            #expect(other.member.userId != first.member.userId)
        }
    }

    @Test(
        "SES-6: each login has tokens of its own, and what a client sends as its own is ignored",
        arguments: Engine.available)
    func ownTokens(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let first = try await world.guest(device)
            let body = """
                {"provider":"guest","userId":"AAAAAAAAAAAAAAAA","sessionToken":"mine","expiresAt":9999999999999,"role":"admin",
                 "refreshToken":"mine","status":"Y"}
                """
            let answer = try await world.send(.post, Endpoints.logIn.template, by: device, body: body)
            let second = try answer.decoded(as: Login.self)
            #expect(second.member.userId == first.member.userId)
            #expect(second.session.refreshToken != first.session.refreshToken)
            #expect(second.session.accessToken != first.session.accessToken)
            #expect(!answer.text.contains("mine"))
        }
    }

    @Test("LOGIN-2: a provider that is not configured is refused with 3202", arguments: Engine.available)
    func unconfiguredProvider(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for provider in ["google", "facebook", "Guest", "", "guest ", "../guest"] {
                let answer = try await world.send(
                    .post, Endpoints.logIn.template, by: TestDevice(), body: #"{"provider":"\#(provider)"}"#)
                #expect(answer.status == 400)
                #expect(answer.code == 3202)
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test(
        "LOGIN-8: the last provider needs the stored session only, and counts as a login", arguments: Engine.available)
    func lastProvider(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            world.clock.advance(seconds: 86_400)
            let answer = try await world.logInWithLastProvider(device, login.session.refreshToken)
            let again = try answer.decoded(as: Login.self)
            #expect(again.member.userId == login.member.userId)
            #expect(again.member.lastLoginDate == world.clock.now.milliseconds)
            #expect(again.session.refreshToken == nil)
            #expect(again.provider == .guest)
            #expect(try await world.member(device, again.session.accessToken).status == 200)
        }
    }

    @Test(
        "LOGIN-8, SES-8: a session that is over is refused with 3102 and never falls back to a guest",
        arguments: Engine.available)
    func lastProviderAfterTheEnd(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            #expect(try await world.logOut(device, login.session.refreshToken).status == 200)
            let before = try await world.rowCounts()
            let revoked = try await world.logInWithLastProvider(device, login.session.refreshToken)
            #expect(revoked.status == 401)
            #expect(revoked.code == 3102)
            #expect(revoked.reason == "logged_out")

            let good = try #require(login.session.refreshToken?.secretValue)
            let flipped = String(good.dropLast()) + (good.hasSuffix("A") ? "E" : "A")
            for token in [
                "", "none", "a.b", flipped, good.uppercased(), good + "A", login.session.accessToken.secretValue,
            ] {
                let answer = try await world.logInWithLastProvider(device, RefreshToken(token))
                #expect(answer.status == 401)
                #expect([3102, 2].contains(answer.code ?? 0))
                #expect(!answer.text.contains(good))
            }
            #expect(try await world.rowCounts() == before)
        }
    }

    @Test(
        "LOGIN-13, REL-6: a repeated call with its key gets the first call's outcome, and makes nothing twice",
        arguments: Engine.available)
    func repeatedCall(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let headers = [HeaderNames.idempotencyKey: "0190aaaaaaaa-first-call"]
            let first = try await world.logIn(device, headers: headers).decoded(as: Login.self)
            let before = try await world.rowCounts()
            world.clock.advance(seconds: 5)
            let second = try await world.logIn(device, headers: headers).decoded(as: Login.self)
            #expect(second.member == first.member)
            #expect(second.session.refreshToken == first.session.refreshToken)
            #expect(try await world.rowCounts() == before)
            #expect(try await world.member(device, second.session.accessToken).status == 200)

            let other = try await world.send(
                .post, Endpoints.logIn.template, by: device, body: #"{"provider":"guest" }"#, headers: headers)
            #expect(other.status == 422)
            #expect(other.reason == "idempotency_key_reused")

            // The key belongs to the device: the same key from another device is another call.
            let stranger = try await world.logIn(TestDevice(), headers: headers).decoded(as: Login.self)
            #expect(stranger.member.userId != first.member.userId)
        }
    }

    @Test("LOGIN-13: what a repeated call would get is stored encrypted", arguments: Engine.available)
    func storedOutcomeIsSealed(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let headers = [HeaderNames.idempotencyKey: "0190aaaaaaaa-first-call"]
            let login = try await world.logIn(TestDevice(), headers: headers).decoded(as: Login.self)
            let sealed = try await world.database.read { tx in
                try tx.first("SELECT sealed_outcome FROM idempotent_calls") { row in try row[0] as [UInt8] }
            }
            let text = String(decoding: try #require(sealed), as: UTF8.self)
            #expect(!text.contains(try #require(login.session.refreshToken).secretValue))
            #expect(!text.contains(login.member.userId.rawValue))
        }
    }

    @Test(
        "Idempotency keys that no client may send are refused",
        arguments: ["short", "with space in it", "\u{e9}\u{e9}\u{e9}\u{e9}", String(repeating: "k", count: 129)])
    func badIdempotencyKey(key: String) async throws {
        try await World.open(on: .sqlite) { world in
            let answer = try await world.logIn(TestDevice(), headers: [HeaderNames.idempotencyKey: key])
            // A header that HTTP itself can't transport never arrives.
            guard key.allSatisfy(\.isASCII) else { return }
            #expect(answer.status == 400)
            #expect(answer.code == 3)
            #expect(answer.details?.parameter == "Idempotency-Key")
        }
    }
}
