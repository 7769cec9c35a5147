import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import Testing

@Suite struct SessionTests {
    @Test("SES-3: fifty callers that need a fresh token make one refresh")
    func singleFlight() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.clock.advance(seconds: 3_599)
        device.network.script(.renewal())
        let gatehouse = device.gatehouse
        let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
            for _ in 0..<50 { group.addTask { try await gatehouse.validAccessToken() } }
            return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
        }
        #expect(tokens == [AccessToken("access-2")])
        #expect(device.network.requests.count { $0.url.path.hasSuffix("/session/refresh") } == 1)
        #expect(device.network.stepsLeft == 0)
    }

    @Test("A token is refreshed when less than a minute is left, and not before")
    func refreshOnDemand() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.clock.advance(seconds: 3_530)
        #expect(try await device.gatehouse.validAccessToken() == AccessToken("access-1"))
        device.clock.advance(seconds: 20)
        device.network.script(.renewal())
        #expect(try await device.gatehouse.validAccessToken() == AccessToken("access-2"))
        #expect(device.gatehouse.accessToken == AccessToken("access-2"))
    }

    @Test("LOGIN-12: a token that the server does not accept ends the session, with its reason")
    func endedByServer() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.network.script(.sessionEnded(.loggedOut))
        #expect(await failure { try await device.gatehouse.fetchMember() }?.code == .authInvalidGatehouseToken)
        #expect(device.gatehouse.state == .signedOut(.sessionEnded(SessionNotice(reason: .loggedOut))))
        #expect(device.gatehouse.userID == nil)
        #expect(device.gatehouse.lastProvider == .guest)
        #expect(Set(device.storage.contents.keys) == ["device-key", "session"])
        #expect(await failure { try await device.gatehouse.sendHeartbeat() }?.code == .notLoggedIn)
    }

    @Test("A token that expired on its way is refreshed, and the call made once more")
    func expiredOnTheWay() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.network.script(.sessionEnded(.tokenExpired), .renewal(), .member())
        _ = try await device.gatehouse.fetchMember()
        #expect(device.network.requests.last?.headers["Authorization"] == "DPoP access-2")
        #expect(device.gatehouse.userID != nil)
    }

    @Test("A refresh that is refused ends the session; one that is lost does not")
    func refreshFailures() async throws {
        let device = try Device { $0.retries = 0 }
        try await device.start()
        let login = try await device.logIn()
        device.clock.advance(seconds: 3_599)
        device.network.thenFail(.timedOut)
        #expect(await failure { try await device.gatehouse.validAccessToken() }?.code == .socketResponseTimeout)
        #expect(device.gatehouse.state == .offline(login.member))
        device.network.script(.sessionEnded(.sessionExpired))
        #expect(await failure { try await device.gatehouse.validAccessToken() }?.code == .authInvalidGatehouseToken)
        #expect(device.gatehouse.state == .signedOut(.sessionEnded(SessionNotice(reason: .sessionExpired))))
    }

    @Test("LOGOUT-1: a logout ends the session on the server and clears the device; the guest's key stays")
    func logout() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.network.then(Empty())
        try await device.gatehouse.logOut()
        #expect(device.network.requests.last?.url.path == "/v1/apps/game/session/logout")
        #expect(device.gatehouse.state == .signedOut(.loggedOut))
        #expect(device.gatehouse.lastProvider == nil)
        #expect(Array(device.storage.contents.keys) == ["device-key"])
    }

    @Test("LOGOUT-2: without a network the device is cleared all the same, and the server told as soon as it can be")
    func logoutOffline() async throws {
        let device = try Device()
        try await device.start()
        _ = try await device.logIn()
        device.network.thenFail(.unreachable("gone"))
        try await device.gatehouse.logOut()
        #expect(device.gatehouse.state == .signedOut(.loggedOut))
        #expect(Set(device.storage.contents.keys) == ["device-key", "pending-logouts"])

        let next = try Device(storage: device.storage)
        next.network.script(.launching(), .done())
        try await next.gatehouse.start()
        #expect(next.network.requests.last?.headers["Authorization"] == "DPoP refresh-canary")
        #expect(Array(next.storage.contents.keys) == ["device-key"])
    }

    @Test("LOGOUT-2: no start and no login waits for the logout of a former session")
    func logoutInBackground() async throws {
        let works = Locked<[@Sendable () async -> Void]>([])
        let storage = MemoryStorage()
        func device() throws -> Device {
            try Device(
                storage: storage, configure: { $0.retries = 0 },
                inBackground: { work in works.withLock { $0.append(work) } })
        }
        let first = try device()
        try await first.start()
        _ = try await first.logIn()
        #expect(works.withLock { $0.count } == 0)
        first.network.script(.login(refreshToken: "refresh-2"))
        try await first.gatehouse.logIn(with: Credential(provider: .guest), replacing: true)
        let next = try device()
        try await next.start()
        next.network.script(.login())
        _ = try await next.gatehouse.logInWithLastProvider()
        #expect(works.withLock { $0.count } == 3)
        for device in [first, next] {
            #expect(!device.network.requests.contains { $0.url.path.hasSuffix("/logout") })
            device.network.script(.done())
        }
        for work in works.withLock({ $0 }) { await work() }
        // The first one that gets through is enough.
        #expect(first.network.requests.last?.headers["Authorization"] == "DPoP refresh-canary")
        #expect(next.network.requests.last?.url.path == "/v1/apps/game/login/last")
        #expect(storage.contents["pending-logouts"] == nil)
    }

    @Test("A device's own work in the background keeps no call waiting", .timeLimit(.minutes(1)))
    func liveBackground() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        await GatehouseClient.Environment.live().inBackground {
            for await _ in gate { break }
            continuation.yield("work")
            continuation.finish()
        }
        continuation.yield("call")
        open.yield()
        var order: [String] = []
        for await word in stream { order.append(word) }
        #expect(order == ["call", "work"])
    }

    @Test("LOGOUT-2: a former session whose end the device can't note is ended at once")
    func unnotedLogout() async throws {
        let storage = MemoryStorage()
        let device = try Device { $0.storage = Forgetful(storage: storage) }
        try await device.start()
        _ = try await device.logIn()
        device.network.script(.login(refreshToken: "refresh-2"), .done())
        try await device.gatehouse.logIn(with: Credential(provider: .guest), replacing: true)
        #expect(device.network.requests.last?.url.path == "/v1/apps/game/session/logout")
        #expect(device.network.requests.last?.headers["Authorization"] == "DPoP refresh-canary")
    }

    @Test("LOGOUT-2: a session that the device can't note is tried before those that it has noted")
    func unnotedLogoutGoesFirst() async throws {
        let storage = MemoryStorage()
        let device = try Device { $0.storage = Forgetful(storage: storage) }
        try await device.start()
        _ = try await device.logIn()
        try storage.write(Data(#"["refresh-of-before"]"#.utf8), to: "pending-logouts")
        device.network.script(.login(refreshToken: "refresh-2"), .done())
        device.network.thenFail(.unreachable("gone"))
        try await device.gatehouse.logIn(with: Credential(provider: .guest), replacing: true)
        let logouts = device.network.requests.filter { $0.url.path.hasSuffix("/logout") }
        #expect(logouts.map { $0.headers["Authorization"] } == ["DPoP refresh-canary", "DPoP refresh-of-before"])
        #expect(storage.contents["pending-logouts"] != nil)
    }

    /// A storage that notes no logout, and does everything else.
    private struct Forgetful: SecureStorage {
        let storage: MemoryStorage

        struct Refused: Error {}

        func read(_ item: String) throws -> Data? { try storage.read(item) }
        func write(_ data: Data, to item: String) throws {
            guard item != "pending-logouts" else { throw Refused() }
            try storage.write(data, to: item)
        }
        func add(_ data: Data, as item: String) throws -> Bool { try storage.add(data, as: item) }
        func remove(_ item: String) throws { try storage.remove(item) }
    }

    @Test("LOGOUT-2: 3501 only when the storage can't be cleared, and then the player is still logged in")
    func logoutUnwritable() async throws {
        let device = try Device()
        try await device.start()
        let login = try await device.logIn()
        device.storage.isUnwritable = true
        #expect(await failure { try await device.gatehouse.logOut() }?.code == .authLogoutFailed)
        #expect(device.gatehouse.userID == login.member.userId)
        #expect(device.network.requests.count == 2)
    }

    /// A storage that removes no session, and does everything else.
    private struct Stubborn: SecureStorage {
        let storage = MemoryStorage()

        struct Refused: Error {}

        func read(_ item: String) throws -> Data? { try storage.read(item) }
        func write(_ data: Data, to item: String) throws { try storage.write(data, to: item) }
        func add(_ data: Data, as item: String) throws -> Bool { try storage.add(data, as: item) }

        func remove(_ item: String) throws {
            guard item != "session" else { throw Refused() }
            try storage.remove(item)
        }
    }

    @Test("LOGOUT-2: a logout that has failed ends the session neither then nor later")
    func failedLogout() async throws {
        let storage = Stubborn()
        let device = try Device { $0.storage = storage }
        try await device.start()
        let login = try await device.logIn()
        #expect(await failure { try await device.gatehouse.logOut() }?.code == .authLogoutFailed)
        #expect(device.gatehouse.userID == login.member.userId)
        // The next start would end what is noted.
        #expect(Set(storage.storage.contents.keys) == ["device-key", "session"])
        let next = try Device { $0.storage = storage }
        try await next.start()
        next.network.script(.login())
        try await next.gatehouse.logInWithLastProvider()
        #expect(!next.network.requests.contains { $0.url.path.hasSuffix("/logout") })
    }

    @Test("A signed-in client sends heartbeats as often as the server asks, and reports when it is offline")
    func heartbeats() async throws {
        let device = try Device { $0.retries = 0 }
        try await device.start()
        let login = try await device.logIn()
        let gatehouse = device.gatehouse
        await device.clock.waitForSleepers()
        device.network.script(.heartbeat(next: 30))
        device.clock.advance(seconds: 120)
        await device.clock.waitForSleepers()
        #expect(device.network.requests.count == 3)
        device.network.thenFail(.unreachable("tunnel"))
        device.clock.advance(seconds: 30)
        await device.clock.waitForSleepers()
        #expect(gatehouse.state == .offline(login.member))
        device.network.script(.heartbeat())
        device.clock.advance(seconds: 30)
        await device.clock.waitForSleepers()
        #expect(gatehouse.state == .signedIn(login.member))
        device.network.script(.sessionEnded(.loggedOut))
        device.clock.advance(seconds: 120)
        for await state in gatehouse.states where state == .signedOut(.sessionEnded(SessionNotice(reason: .loggedOut)))
        { break }
        #expect(gatehouse.userID == nil)
    }

    @Test("Every listener gets the state as it is, then each change")
    func states() async throws {
        let device = try Device()
        let gatehouse = device.gatehouse
        var first = gatehouse.states.makeAsyncIterator()
        #expect(await first.next() == .restoring)
        try await device.start()
        let login = try await device.logIn()
        var second = gatehouse.states.makeAsyncIterator()
        device.network.then(Empty())
        try await gatehouse.logOut()
        #expect(await first.next() == .signedOut(.noSession))
        #expect(await first.next() == .signedIn(login.member))
        #expect(await first.next() == .signedOut(.loggedOut))
        #expect(await second.next() == .signedIn(login.member))
        #expect(await second.next() == .signedOut(.loggedOut))
    }

    @Test("An instance that nobody holds ends, with its heartbeats and its streams")
    func lifetime() async throws {
        weak var released: GatehouseClient?
        let clock = ManualClock()
        var states: AsyncStream<AuthState>?
        do {
            let device = try Device(clock: clock)
            try await device.start()
            _ = try await device.logIn()
            released = device.gatehouse
            states = device.gatehouse.states
            await clock.waitForSleepers()
        }
        #expect(released == nil)
        var count = 0
        for await _ in try states.unwrapped() { count += 1 }
        #expect(count == 1)
    }
}
