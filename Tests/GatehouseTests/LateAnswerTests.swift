import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

/// An answer that comes when another session has taken the place of the one that asked is that one's, and no business of the new one.
@Suite struct LateAnswerTests {
    /// A device whose calls have a network each, by the last part of their path, and on which something happens while an answer is
    /// on its way.
    private struct Game {
        let device: Device
        let gatehouse: GatehouseClient
        let clock = ManualClock()
        private let networks: [String: ScriptedTransport]
        private let meanwhile = Locked<(path: String, act: @Sendable () async throws -> Void)?>(nil)

        init() async throws {
            device = try Device()
            let network = device.network
            let networks = ["refresh", "profile", "heartbeat", "member", "logout"].reduce(into: [:]) { networks, path in
                networks[path] = ScriptedTransport()
            }
            self.networks = networks
            let meanwhile = meanwhile
            var environment = GatehouseClient.Environment.testing(clock: clock, transport: network)
            environment.send = { request in
                let path = request.url.lastPathComponent
                let answer = await Self.result { try await (networks[path] ?? network).send(request) }
                let act = meanwhile.withLock { event in
                    guard event?.path == path else { return (@Sendable () async throws -> Void)?.none }
                    defer { event = nil }
                    return event?.act
                }
                try await act?()
                return try answer.get()
            }
            var configuration = GatehouseClient.Configuration(
                appID: AppID("game"), serverURL: try URL(string: "https://login.example.com").unwrapped(),
                storage: MemoryStorage())
            configuration.retries = 0
            gatehouse = GatehouseClient(configuration, environment: environment)
            network.script(.launching())
            try await gatehouse.start()
            try await Self.logIn("A", gatehouse, device)
        }

        private static func result(
            of call: () async throws -> TransportResponse
        ) async -> Result<TransportResponse, any Error> {
            do { return .success(try await call()) } catch { return .failure(error) }
        }

        func network(_ path: String) throws -> ScriptedTransport { try networks[path].unwrapped() }

        static func logIn(_ user: String, _ gatehouse: GatehouseClient, _ device: Device) async throws {
            device.network.script(
                .login(UserID(user), refreshToken: "refresh-\(user)", accessToken: "access-\(user)"))
            _ = try await gatehouse.logIn(with: Credential(provider: .guest), replacing: true)
        }

        /// While the next answer of a path is on its way, B logs in in place of A, whose session ends.
        func replaceDuring(_ path: String) throws {
            try network("logout").then(Empty())
            let (gatehouse, device) = (gatehouse, device)
            during(path) { try await Self.logIn("B", gatehouse, device) }
        }

        func during(_ path: String, _ act: @escaping @Sendable () async throws -> Void) {
            meanwhile.withLock { $0 = (path, act) }
        }

        /// Whether B is in, and nothing has changed that.
        var isWithB: Bool {
            guard case .signedIn(let member) = gatehouse.state else { return false }
            return member.userId == "B" && gatehouse.userID == "B"
        }
    }

    @Test("MAP-7, LOGIN-6: the end of a former session, met by a late call of it, leaves the new player in")
    func endOfFormerSession() async throws {
        for path in ["profile", "heartbeat", "member"] {
            let game = try await Game()
            try game.network(path).thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .loggedOut)
            try game.replaceDuring(path)
            let error = await failure {
                switch path {
                case "profile": _ = try await game.gatehouse.fetchProviderProfile(of: .google)
                case "heartbeat": _ = try await game.gatehouse.sendHeartbeat()
                default: _ = try await game.gatehouse.fetchMember()
                }
            }
            #expect(error?.code == .authInvalidGatehouseToken)
            #expect(game.isWithB, "\(path)")
        }
    }

    @Test("MAP-7, LOGIN-6: a former session's refresh that is refused, or lost, leaves the new player in and online")
    func refreshOfFormerSession() async throws {
        for isRefused in [true, false] {
            let game = try await Game()
            game.clock.advance(seconds: 3_599)
            if isRefused {
                try game.network("refresh").thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .loggedOut)
            } else {
                try game.network("refresh").thenFail(.timedOut)
            }
            try game.replaceDuring("refresh")
            #expect(await failure { try await game.gatehouse.validAccessToken() } != nil)
            #expect(game.isWithB)
        }
    }

    @Test("LOGIN-6: what a former session's call brings is not the new player's")
    func answerOfFormerSession() async throws {
        let game = try await Game()
        try game.network("heartbeat").script(.heartbeat { $0.revokedProviders = [.apple] })
        try game.replaceDuring("heartbeat")
        try await game.gatehouse.sendHeartbeat()
        #expect(game.gatehouse.standing?.isPlayable == true)
        #expect(game.gatehouse.standing?.revokedProviders == nil)

        let other = try await Game()
        try other.network("member").script(.member { $0.userId = "A" })
        try other.replaceDuring("member")
        try await other.gatehouse.fetchMember()
        #expect(other.isWithB)
    }

    @Test("LOGIN-6: a former session's token that has expired is not replaced by the new player's for the same call")
    func expiredTokenOfFormerSession() async throws {
        let game = try await Game()
        try game.network("profile").thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .tokenExpired)
        try game.network("profile").then(
            ProviderProfile(provider: .google, subject: "b", profile: [:], accessToken: nil))
        try game.replaceDuring("profile")
        let error = await failure { try await game.gatehouse.fetchProviderProfile(of: .google) }
        #expect(error?.reason == .tokenExpired)
        #expect(try game.network("profile").requests.count == 1)
        #expect(game.isWithB)
    }

    @Test("LOGOUT-1: after a logout the late end of its session changes nothing")
    func afterLogout() async throws {
        let game = try await Game()
        try game.network("profile").thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .loggedOut)
        try game.network("logout").then(Empty())
        let gatehouse = game.gatehouse
        game.during("profile") { try await gatehouse.logOut() }
        #expect(await failure { try await game.gatehouse.fetchProviderProfile(of: .google) } != nil)
        #expect(gatehouse.state == .signedOut(.loggedOut))
    }

    @Test("An end of the session that several calls meet is one end")
    func twice() async throws {
        let game = try await Game()
        try game.network("profile").thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .loggedOut)
        try game.network("heartbeat").thenRefuse(.authInvalidGatehouseToken, status: 401, reason: .kickedOut)
        let gatehouse = game.gatehouse
        game.during("profile") { _ = await failure { try await gatehouse.sendHeartbeat() } }
        #expect(await failure { try await gatehouse.fetchProviderProfile(of: .google) } != nil)
        #expect(gatehouse.state == .signedOut(.sessionEnded(SessionNotice(reason: .kickedOut))))
    }
}
