import FakeProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
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

    /// A process whose exchanges of codes a test holds up, and a login with a code there.
    private struct HeldNode: Sendable {
        let actions: Actions
        let logIn: @Sendable () async throws -> Login
        let once: Once
        /// A value for each exchange that has begun.
        let began: AsyncStream<Void>
        let gate = Gate()
        private let counter: Counter

        private final class Counter: Sendable {
            let exchanges = Atomic(0)
        }

        /// The number of codes that the provider was asked for.
        var exchanges: Int { counter.exchanges.load(ordering: .relaxed) }

        init(_ world: World) async throws {
            let (began, beginning) = AsyncStream.makeStream(of: Void.self)
            let (gate, counter) = (gate, Counter())
            (self.began, self.counter) = (began, counter)
            let actions = try world.actions { request, usual in
                guard request.method == "POST" else { return try await usual(request) }
                counter.exchanges.add(1, ordering: .relaxed)
                beginning.yield()
                await gate.wait()
                // The provider has used up the code, and a cancelled caller does not learn what for.
                let answer = try await usual(request)
                try Task.checkCancellation()
                return answer
            }
            let (device, context) = (TestDevice(), try await actions.context(in: world))
            let actor = Actor(principal: .device(device.thumbprint, origin: World.origin), door: .httpAPI)
            let once = Once(
                call: Idempotency.Call(app: World.app, key: "lost-answer-1", requestHash: [1]),
                owner: .device(device.thumbprint))
            let credential = try world.idps.credential(.apple, for: "alice")
            logIn = { try await actions.run(LogIn(credential: credential), by: actor, once: once, in: context) }
            (self.actions, self.once) = (actions, once)
        }
    }

    @Test(
        "LOGIN-13, REL-9: a login whose client goes during the exchange of its code is finished, and answers the repetition",
        .timeLimit(.minutes(5)), arguments: Engine.available)
    func departure(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let node = try await HeldNode(world)
            let first = Task { try await node.logIn() }
            for await _ in node.began { break }
            first.cancel()
            node.gate.open()
            let lost = try await first.value
            let again = try await node.logIn()
            #expect(again.member.userId == lost.member.userId)
            #expect(again.session.refreshToken == lost.session.refreshToken)
            #expect(node.exchanges == 1)
            #expect(try await world.count("SELECT COUNT(*) FROM sessions") == 1)
        }
    }

    @Test(
        "LOGIN-13, REL-6: a repetition that arrives during the exchange of the code waits for it, and gets its answer",
        .timeLimit(.minutes(5)), arguments: Engine.available)
    func atOnce(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let node = try await HeldNode(world)
            let first = Task { try await node.logIn() }
            for await _ in node.began { break }
            let second = Task { try await node.logIn() }
            while node.actions.services.runsUnderWay.waiting(for: node.once) == 0 { await Task.yield() }
            node.gate.open()
            let (one, other) = (try await first.value, try await second.value)
            #expect(one.member.userId == other.member.userId)
            #expect(one.session.refreshToken == other.session.refreshToken)
            #expect(node.exchanges == 1)
            #expect(try await world.count("SELECT COUNT(*) FROM sessions") == 1)
        }
    }

    @Test("REL-9: a login that was given up before its code is exchanged leaves the code as it is")
    func givenUp() async throws {
        try await World.open(on: .sqlite) { world in
            let node = try await HeldNode(world)
            node.gate.open()
            let first = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await node.logIn()
            }
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(node.exchanges == 0)
            _ = try await node.logIn()
            #expect(node.exchanges == 1)
        }
    }
}
