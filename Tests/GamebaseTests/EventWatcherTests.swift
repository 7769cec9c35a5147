import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gamebase
@testable import Gatehouse

/// Events of what the SDK reports, over several players and starts of one device.
@Suite(.timeLimit(.minutes(1))) struct EventWatcherTests {
    /// A game on a device: what it has heard comes in order.
    private struct Game {
        let network = ScriptedTransport()
        let gatehouse: GatehouseClient
        let messages: AsyncStream<String>
        let events = EventCenter()
        private static let date: Int64 = 1_795_219_200_000

        init(_ storage: MemoryStorage = MemoryStorage()) async throws {
            let url = try #require(URL(string: "https://login.example.com"))
            var configuration = GatehouseClient.Configuration(appID: AppID("game"), serverURL: url, storage: storage)
            configuration.retries = 0
            gatehouse = GatehouseClient(configuration, environment: .testing(clock: ManualClock(), transport: network))
            let (messages, heard) = AsyncStream.makeStream(of: String.self)
            self.messages = messages
            events.add { message in
                let data = TCGBGamebaseEventIdPRevokedData.gamebaseEventIdPRevokedData(jsonString: message.data)
                heard.yield(message.category == "idPRevoked" ? "\(data.idPType) \(data.code)" : message.category)
            }
            network.then(
                LaunchingInformation(
                    appId: AppID("game"), status: .inService, isPlayable: true, message: nil, maintenance: nil,
                    providers: [.guest: ProviderSettings()], language: "en", heartbeatSeconds: 120,
                    serverDate: Self.date))
            try await gatehouse.start()
        }

        /// Follows the SDK until the task that is returned is cancelled.
        func watch() -> Task<Void, Never> {
            let watcher = EventWatcher(gatehouse, events)
            return Task { await watcher.run(.inService) }
        }

        func next() async -> String {
            for await message in messages { return message }
            return ""
        }

        private func standing(_ revoked: Set<Provider>, _ status: LaunchingStatus = .inService) -> Standing {
            var standing = Standing(
                isPlayable: true, reason: .good, untilDate: nil, launchingStatus: status, memberStatus: .normal,
                message: nil, actions: [.play])
            standing.revokedProviders = revoked.isEmpty ? nil : revoked.sorted { $0.rawValue < $1.rawValue }
            return standing
        }

        func logIn(_ user: String, with provider: Provider = .google, revoked: Set<Provider> = []) async throws {
            let mappings = provider == .guest ? [.guest] : [Provider.google, .apple]
            let member = Member(
                appId: AppID("game"), userId: UserID(user), status: .normal, registrationDate: 1, lastLoginDate: 2,
                mappings: mappings.map { Mapping(provider: $0, subject: user, registrationDate: 1) })
            let tokens = SessionTokens(
                accessToken: AccessToken("access-\(user)"), accessTokenExpiryDate: Self.date + 3_600_000,
                refreshToken: RefreshToken("refresh-\(user)-\(network.requests.count)"),
                sessionExpiryDate: Self.date + 86_400_000)
            network.then(
                Login(
                    member: member, provider: provider, session: tokens, standing: standing(revoked),
                    serverDate: Self.date))
            _ = try await gatehouse.logIn(with: Credential(provider: provider, idToken: "t"))
        }

        func logOut() async throws {
            network.then(Empty())
            try await gatehouse.logOut()
        }

        /// A heartbeat that also tells of another status of the game: its event comes when the whole standing has been looked at.
        func heartbeat(revoked: Set<Provider> = []) async throws {
            for status in [LaunchingStatus.inTest, .inService] {
                network.then(
                    Heartbeat(standing: standing(revoked, status), nextHeartbeatSeconds: 120, serverDate: Self.date))
                try await gatehouse.sendHeartbeat()
                #expect(await next() == "observerLaunching")
            }
        }

        /// Loses the network and finds it again: when that has been told, the states are followed.
        func blink() async throws {
            network.thenFail(.unreachable("tunnel"))
            _ = try? await gatehouse.sendHeartbeat()
            #expect(await next() == "observerNetwork")
            network.then(Heartbeat(standing: standing([]), nextHeartbeatSeconds: 120, serverDate: Self.date))
            try await gatehouse.sendHeartbeat()
            #expect(await next() == "observerNetwork")
        }

        /// Waits until the device has noted that the game knows of the end.
        func untilTold(_ storage: MemoryStorage) async throws {
            while try SessionStore(storage: storage).session()?.endWasTold != true { await Task.yield() }
        }

        /// A login with the last provider that gets no answer.
        func loseResume() async {
            network.thenFail(.timedOut)
            _ = try? await gatehouse.logInWithLastProvider()
        }

        /// The next call finds out that the session has ended.
        func end(_ reason: ErrorReason, _ details: ErrorDetails = ErrorDetails()) async {
            network.thenRefuse(.authInvalidGatehouseToken, status: 401, reason: reason, details: details)
            _ = try? await gatehouse.sendHeartbeat()
        }

        func resume(_ reason: ErrorReason) async {
            network.thenRefuse(.authTokenLoginInvalidTokenInfo, status: 401, reason: reason)
            _ = try? await gatehouse.logInWithLastProvider()
        }
    }

    private static let removeMapping = "appleid \(TCGBIdPRevokedCode.IDP_REVOKED_REMOVE_MAPPING.rawValue)"
    private static let overwrite =
        "appleid \(TCGBIdPRevokedCode.IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING.rawValue)"

    @Test("idPRevoked comes once to each player of a device, and again after the consent was given anew")
    func players() async throws {
        let game = try await Game()
        let watch = game.watch()
        defer { watch.cancel() }
        for user in ["A", "B", "A"] {
            try await game.logIn(user, revoked: [.apple])
            #expect(await game.next() == Self.removeMapping)
            try await game.logOut()
        }
        // The same player again, who knows.
        try await game.logIn("A", revoked: [.apple])
        try await game.heartbeat(revoked: [.apple])
        try await game.heartbeat(revoked: [])
        try await game.logOut()
        try await game.logIn("A", revoked: [.apple])
        #expect(await game.next() == Self.removeMapping)
    }

    @Test("A handler of the game's status hears of each change of it, and of nothing else")
    func launchingStatus() async throws {
        let game = try await Game()
        let watch = game.watch()
        defer { watch.cancel() }
        let (stream, continuation) = AsyncStream.makeStream(of: [String: JSONValue].self)
        let handler: LaunchingStatusHandler = { _ in }
        game.events.launchingStatus.add(HandlerToken(handler)) { continuation.yield($0) }
        try await game.logIn("A")
        try await game.blink()
        try await game.heartbeat()
        var changes = stream.makeAsyncIterator()
        #expect(await changes.next() == ["code": 203])
        #expect(await changes.next() == ["code": 200])
    }

    @Test("idPRevoked with 601 does not come again as 602 when the same player logs in with another provider")
    func overwritten() async throws {
        let game = try await Game()
        let watch = game.watch()
        defer { watch.cancel() }
        try await game.logIn("A", with: .apple)
        try await game.blink()
        await game.end(.consentRevoked, ErrorDetails(provider: .apple))
        #expect(await game.next() == Self.overwrite)
        try await game.logIn("A", revoked: [.apple])
        try await game.heartbeat(revoked: [.apple])
    }

    @Test("idPRevoked comes also when the network is gone by the time that it is told")
    func offline() async throws {
        let game = try await Game()
        try await game.logIn("A", revoked: [.apple])
        game.network.thenFail(.unreachable("tunnel"))
        _ = try? await game.gatehouse.sendHeartbeat()
        let watch = game.watch()
        defer { watch.cancel() }
        #expect(await Set([game.next(), game.next()]) == [Self.removeMapping, "observerNetwork"])
    }

    @Test("BAN-6, TRANSFER-7: a transfer is told once, over any number of starts", arguments: [false, true])
    func transfer(isClosed: Bool) async throws {
        let storage = MemoryStorage()
        let first = try await Game(storage)
        var watch = first.watch()
        try await first.logIn("A", with: .guest)
        if isClosed {
            watch.cancel()
            let next = try await Game(storage)
            watch = next.watch()
            await next.resume(.transferred)
            #expect(await next.next() == "serverPushTransferKickout")
            try await next.untilTold(storage)
        } else {
            try await first.blink()
            await first.end(.transferred)
            #expect(await first.next() == "serverPushTransferKickout")
            try await first.untilTold(storage)
        }
        watch.cancel()
        let game = try await Game(storage)
        let last = game.watch()
        defer { last.cancel() }
        await game.loseResume()
        #expect(await game.next() == "observerNetwork")
        await game.resume(.transferred)
        await game.loseResume()
        await game.resume(.transferred)
        // What was told of one session says nothing of the next: its end is the first to come, beside the network's return.
        try await game.logIn("B", with: .guest)
        #expect(await game.next() == "observerNetwork")
        await game.end(.transferred)
        #expect(await game.next() == "serverPushTransferKickout")
    }
}
