import FakeProviders
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseServer

/// A call with a credential whose answer was lost, sent again with its key.
@Suite struct RepeatedCredentialTests {
    private static let key = [HeaderNames.idempotencyKey: "lost-answer-1"]

    @Test(
        "LOGIN-13, REL-6: a login with a code is answered again, and the provider is asked for the code once",
        arguments: Engine.available)
    func login(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let credential = try world.idps.credential(.apple, for: "alice")
            #expect(credential.idToken != nil && credential.authorizationCode != nil)
            let logIn = { (credential: Credential, device: TestDevice) in
                try await world.call(Endpoints.logIn, credential, by: device, headers: Self.key)
            }
            let first = try await logIn(credential, device).decoded(as: Login.self)
            let asked = world.idps.requests(to: .apple)
            for _ in 0..<2 {
                let again = try await logIn(credential, device).decoded(as: Login.self)
                #expect(again.member.userId == first.member.userId)
                #expect(again.session.refreshToken == first.session.refreshToken)
            }
            let another = try await logIn(world.idps.credential(.apple, for: "bob"), device)
            #expect(another.reason == "idempotency_key_reused" && another.status == 422, "\(another.text)")
            #expect(world.idps.requests(to: .apple) == asked)
            #expect(try await world.count("SELECT COUNT(*) FROM sessions") == 1)
            // Another device with the same key and body is another caller, for whom the code is used up.
            let stolen = try await logIn(credential, TestDevice())
            #expect(stolen.code == 3201, "\(stolen.text)")
        }
    }

    @Test(
        "LOGIN-13, REL-6: a mapping with a code is answered again, done or in conflict, and asks the provider once",
        arguments: Engine.available)
    func mapping(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let credential = try world.idps.credential(.apple, for: "alice")
            let map = { (credential: Credential, player: Player) in
                try await world.call(Endpoints.addMapping, credential, by: player, headers: Self.key)
            }
            let first = try await map(credential, guest).decoded(as: MappingChange.self)
            let asked = world.idps.requests(to: .apple)
            let again = try await map(credential, guest).decoded(as: MappingChange.self)
            #expect(again.member == first.member && again.member.mappings.map(\.provider) == [.apple])
            let another = try await map(world.idps.credential(.apple, for: "bob"), guest)
            #expect(another.reason == "idempotency_key_reused", "\(another.text)")
            #expect(world.idps.requests(to: .apple) == asked)

            let other = try await world.guestPlayer()
            let taken = try world.idps.credential(.apple, for: "alice")
            let refused = try await map(taken, other)
            #expect(refused.code == 3302, "\(refused.text)")
            let refusedAgain = try await map(taken, other)
            #expect(refusedAgain.code == 3302, "\(refusedAgain.text)")
            #expect(try await world.count("SELECT COUNT(*) FROM forcing_tickets") == 1)
        }
    }

    @Test(
        "LOGIN-13: a login with an ID token is answered again although the token has expired since",
        arguments: Engine.available)
    func expiredToken(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let credential = Credential(
                provider: .google, idToken: try world.idps.idToken(.google, for: "alice"))
            let logIn = { (headers: [String: String]) in
                try await world.call(Endpoints.logIn, credential, by: device, headers: headers)
            }
            let first = try await logIn(Self.key).decoded(as: Login.self)
            world.clock.advance(seconds: 2 * 3_600)
            #expect(try await logIn([:]).reason == "credential_expired")
            let again = try await logIn(Self.key).decoded(as: Login.self)
            #expect(again.session.refreshToken == first.session.refreshToken)
        }
    }
}
