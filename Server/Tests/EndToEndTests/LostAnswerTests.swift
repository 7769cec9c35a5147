import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// After 101 or 110 the documents say that the game should call again. The server has done its work, and its response was lost.
@Suite(.timeLimit(.minutes(10))) struct LostAnswerTests {
    /// A device that keeps its storage when the game restarts.
    private final class Phone {
        let server: LiveServer
        let player: String
        let storage = MemoryStorage()
        let wiretap = Wiretap()
        private(set) var game: GatehouseClient

        init(_ server: LiveServer, _ player: String) async throws {
            self.server = server
            self.player = player
            game = Self.game(server, player, storage, wiretap)
            try await game.start()
        }

        private static func game(
            _ server: LiveServer, _ player: String, _ storage: MemoryStorage, _ wiretap: Wiretap
        ) -> GatehouseClient {
            var configuration = LiveServer.configuration(server.url, storage)
            configuration.retries = 0
            configuration.adapters = [Provider.google, .apple, .facebook].map {
                TestAdapter(provider: $0, player: player, idps: server.idps)
            }
            return GatehouseClient(configuration, environment: wiretap.environment())
        }

        /// Makes a call whose response is lost, restarts the game if the test requires it, and lets the game make the second call.
        func lose<Value>(
            restarts: Bool, logsIn: Bool = true, as loss: TransportError = .timedOut,
            _ call: (GatehouseClient) async throws -> Value
        ) async throws {
            wiretap.loseNextAnswers(1, as: loss)
            let error = await failure { try await call(game) }
            let code: ErrorCode = loss == .timedOut ? .socketResponseTimeout : .socketError
            #expect(error?.code == code)
            guard restarts else { return }
            game = Self.game(server, player, storage, wiretap)
            try await game.start()
            if logsIn { _ = try await game.logInWithLastProvider() }
        }
    }

    private static let cases = Engine.ofDoors.flatMap { engine in [false, true].map { (engine, $0) } }

    @Test("LOGIN-13: a mapping, by page or by credential, succeeds at the game's second call", arguments: cases)
    func addMapping(engine: Engine, restarts: Bool) async throws {
        try await LiveServer.run(on: engine) { server in
            let phone = try await Phone(server, "alice")
            let user = try await phone.game.logIn(with: .guest).member.userId
            try await phone.lose(restarts: restarts) { try await $0.addMapping(.google) }
            let member = try await phone.game.addMapping(.google)
            #expect(member.userId == user)
            #expect(member.mappings.map(\.provider) == [.google])
            #expect(phone.game.currentProvider == .google)
            #expect(phone.game.lastProvider == .google)

            let credential = try server.credential(.facebook, "alice")
            let unreachable = TransportError.unreachable("no network")
            try await phone.lose(restarts: restarts, as: unreachable) { try await $0.addMapping(credential) }
            #expect(
                Set(try await phone.game.addMapping(credential).mappings.map(\.provider)) == [.google, .facebook])

            try await phone.lose(restarts: restarts) { try await $0.removeMapping(.facebook) }
            #expect(try await phone.game.removeMapping(.facebook).mappings.map(\.provider) == [.google])
            _ = try await phone.game.fetchMember()

            // This request does not even arrive.
            phone.wiretap.loseNextRequests(1, as: unreachable)
            #expect(await failure { try await phone.game.addMapping(.apple) }?.code == .socketError)
            #expect(Set(try await phone.game.addMapping(.apple).mappings.map(\.provider)) == [.google, .apple])
        }
    }

    @Test("LOGIN-13: a forced mapping succeeds at the game's second call", arguments: cases)
    func force(engine: Engine, restarts: Bool) async throws {
        try await LiveServer.run(on: engine) { server in
            let owner = server.device("alice")
            try await owner.start()
            _ = try await owner.logIn(with: .google)
            let phone = try await Phone(server, "alice")
            let user = try await phone.game.logIn(with: .guest).member.userId
            let ticket = try #require(
                await failure { try await phone.game.addMapping(.google) }?.forcingMappingTicket)
            try await phone.lose(restarts: restarts) { try await $0.addMapping(forcing: ticket) }
            let member = try await phone.game.addMapping(forcing: ticket)
            #expect(member.userId == user)
            #expect(member.mappings.map(\.provider) == [.google])
        }
    }

    @Test("LOGIN-13, MAP-7: a change of login whose answer was lost leaves the player in", arguments: cases)
    func changeLogin(engine: Engine, restarts: Bool) async throws {
        try await LiveServer.run(on: engine) { server in
            let owner = server.device("alice")
            try await owner.start()
            let other = try await owner.logIn(with: .google).member.userId
            let phone = try await Phone(server, "alice")
            let user = try await phone.game.logIn(with: .guest).member.userId
            let ticket = try #require(
                await failure { try await phone.game.addMapping(.google) }?.forcingMappingTicket)
            try await phone.lose(restarts: restarts) { try await $0.changeLogin(with: ticket) }
            // Nothing has changed for the player so far.
            #expect(try await phone.game.fetchMember().userId == user)
            let left = try #require(phone.game.accessToken)
            #expect(try await phone.game.changeLogin(with: ticket).member.userId == other)
            #expect(try await phone.game.fetchMember().userId == other)
            // The device ends the session it has left when it has the time. The suite's limit ends this wait.
            while try await server.check(left).status != 401 { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test("LOGIN-13: a transfer succeeds at the game's second call", arguments: cases)
    func transfer(engine: Engine, restarts: Bool) async throws {
        try await LiveServer.run(on: engine) { server in
            let old = server.device("alice")
            try await old.start()
            let user = try await old.logIn(with: .guest).member.userId
            let account = try await old.issueTransferAccount()
            let password = try #require(account.password)
            let phone = try await Phone(server, "alice")
            _ = try await phone.game.logIn(with: .guest)
            try await phone.lose(restarts: restarts, logsIn: false) {
                try await $0.redeemTransferAccount(id: account.id, password: password)
            }
            let login = try await phone.game.redeemTransferAccount(id: account.id, password: password)
            #expect(login.member.userId == user)
            #expect(try await phone.game.fetchMember().userId == user)
        }
    }

    @Test(
        "LOGIN-13: a withdrawal, its request and its cancellation succeed at the game's second call", arguments: cases)
    func withdrawal(engine: Engine, restarts: Bool) async throws {
        try await LiveServer.run(on: engine) { server in
            let phone = try await Phone(server, "alice")
            let user = try await phone.game.logIn(with: .google).member.userId
            try await phone.lose(restarts: restarts) { try await $0.requestWithdrawal() }
            #expect(try await phone.game.requestWithdrawal().temporaryWithdrawal != nil)
            try await phone.lose(restarts: restarts) { try await $0.cancelWithdrawal() }
            #expect(try await phone.game.cancelWithdrawal().temporaryWithdrawal == nil)
            try await phone.lose(restarts: restarts, logsIn: false) { try await $0.withdraw() }
            if restarts {
                // The player starts the game, and nobody is logged in any more.
                #expect(
                    await failure { try await phone.game.logInWithLastProvider() }?.code
                        == .authTokenLoginInvalidTokenInfo)
            } else {
                try await phone.game.withdraw()
            }
            #expect(try await phone.game.logIn(with: .google).member.userId != user)
        }
    }
}
