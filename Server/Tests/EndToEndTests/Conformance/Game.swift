import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests {
    /// The promises of Gamebase's public guides on authentication for iOS, with one test for each statement that can be tested. The
    /// tests use `TCGBGamebase` with a real server. A title begins with the statement's mark in docs/contributing/conformance.md.
    @Suite struct Conformance {}
}

/// The result of a call of `TCGBGamebase`.
struct Answer<Value: Sendable>: Sendable {
    let value: Value?
    let error: TCGBError?

    /// `TCGB_ERROR_...`, or nil after a success.
    var code: Int? { error?.code }
}

/// A game that was written for Gamebase, on a player's device.
@MainActor struct Game {
    let server: LiveServer
    let storage: MemoryStorage
    let device: GamebaseDevice

    init(_ server: LiveServer, _ player: String, action: FakeBrowser.Action = .login, port: Int? = nil) {
        self.server = server
        storage = MemoryStorage()
        device = GamebaseDevice(server, player, storage, action: action, port: port)
    }

    /// Starts a server and, on a new device, the game.
    ///
    /// - Parameter setUp: the operator's preparation, before the server's first request.
    static func play(
        on engine: Engine, setUp: @escaping @Sendable (LiveServer) async throws -> Void = { _ in },
        _ test: @escaping @MainActor @Sendable (Game) async throws -> Void
    ) async throws {
        try await LiveServer.run(on: engine) { server in
            try await setUp(server)
            let game = await Game(server, "alice")
            await game.begin()
            try await test(game)
        }
    }

    /// Starts or restarts the game. From now on `TCGBGamebase` uses this device.
    func begin() async {
        TCGBGamebase.removeAllEventHandler()
        #expect(await device.start() == nil)
    }

    /// Starts the game on a new device.
    func onNewDevice(_ player: String = "alice", action: FakeBrowser.Action = .login) async -> Game {
        let game = Game(server, player, action: action)
        await game.begin()
        return game
    }

    /// Starts the game on a new device whose network the test can cut.
    func behindRelay(_ test: @MainActor (_ far: Game, _ relay: Relay) async throws -> Void) async throws {
        let relay = try Relay(to: try #require(server.url.port))
        defer { relay.close() }
        let far = Game(server, "alice", port: relay.port)
        await far.begin()
        try await test(far, relay)
    }

    /// Runs an example of the guides, and returns its result.
    func example(_ call: (SeedGame) -> Void) async -> String { await example(SeedGame(), call) }

    func example(_ game: SeedGame, _ call: (SeedGame) -> Void) async -> String {
        await ended { done in
            game.onEnd = { done($0) }
            call(game)
        }
    }

    // MARK: The calls

    func logIn(_ type: String, _ additionalInfo: [String: Any]? = nil) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.login(type: type, additionalInfo: additionalInfo, viewController: UIViewController()) {
                done(Answer(value: $0, error: $1))
            }
        }
    }

    func logIn(credential: [String: Any]) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.login(credential: credential, viewController: nil) { done(Answer(value: $0, error: $1)) }
        }
    }

    func logInAgain() async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.loginForLastLoggedInProvider(viewController: nil) { done(Answer(value: $0, error: $1)) }
        }
    }

    func logOut() async -> TCGBError? {
        await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
    }

    func withdraw() async -> TCGBError? {
        await ended { done in TCGBGamebase.withdraw(viewController: nil) { done($0) } }
    }

    func withdrawImmediately() async -> TCGBError? {
        await ended { done in TCGBGamebase.withdrawImmediately(viewController: nil) { done($0) } }
    }

    func requestWithdrawal() async -> Answer<TCGBTemporaryWithdrawalInfo> {
        await ended { done in
            TCGBGamebase.requestTemporaryWithdrawal(viewController: nil) { done(Answer(value: $0, error: $1)) }
        }
    }

    func cancelWithdrawal() async -> TCGBError? {
        await ended { done in TCGBGamebase.cancelTemporaryWithdrawal(viewController: nil) { done($0) } }
    }

    func map(_ type: String, _ additionalInfo: [String: Any]? = nil) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.addMapping(type: type, additionalInfo: additionalInfo, viewController: UIViewController()) {
                done(Answer(value: $0, error: $1))
            }
        }
    }

    func map(credential: [String: Any]) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.addMapping(credential: credential, viewController: nil) { done(Answer(value: $0, error: $1)) }
        }
    }

    func map(forcing ticket: TCGBForcingMappingTicket) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.addMappingForcibly(ticket: ticket, viewController: nil) {
                done(Answer(value: $0, error: $1))
            }
        }
    }

    func changeLogin(_ ticket: TCGBForcingMappingTicket) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.changeLogin(forcingMappingTicket: ticket, viewController: nil) {
                done(Answer(value: $0, error: $1))
            }
        }
    }

    func unmap(_ type: String) async -> TCGBError? {
        await ended { done in TCGBGamebase.removeMapping(type: type, viewController: nil) { done($0) } }
    }

    func issueTransfer() async -> Answer<TCGBTransferAccountInfo> {
        await ended { done in TCGBGamebase.issueTransferAccount { done(Answer(value: $0, error: $1)) } }
    }

    func queryTransfer() async -> Answer<TCGBTransferAccountInfo> {
        await ended { done in TCGBGamebase.queryTransferAccount { done(Answer(value: $0, error: $1)) } }
    }

    func renewTransfer(
        _ configuration: TCGBTransferAccountRenewConfiguration
    ) async -> Answer<TCGBTransferAccountInfo> {
        await ended { done in
            TCGBGamebase.renewTransferAccount(configuration: configuration) { done(Answer(value: $0, error: $1)) }
        }
    }

    func redeem(_ id: String, _ password: String) async -> Answer<TCGBAuthToken> {
        await ended { done in
            TCGBGamebase.transferAccountWithIdPLogin(accountId: id, accountPassword: password) {
                done(Answer(value: $0, error: $1))
            }
        }
    }

    // MARK: Ways to a state

    /// Logs in, and requires success.
    @discardableResult func user(by type: String, sourceLocation: SourceLocation = #_sourceLocation) async -> String {
        let answer = await logIn(type)
        #expect(answer.error == nil, sourceLocation: sourceLocation)
        return answer.value?.tcgbMember.userId ?? "nobody"
    }

    /// An access token of this player at a provider, as from the provider's own library.
    func token(_ provider: String, of player: String = "alice") -> String {
        server.idps.accessToken(Provider(provider), for: player).secretValue
    }

    /// A credential of the guides' two members.
    func credential(_ provider: String, of player: String = "alice") -> [String: Any] {
        [
            kTCGBAuthLoginWithCredentialProviderNameKeyname: provider,
            kTCGBAuthLoginWithCredentialAccessTokenKeyname: token(provider, of: player),
        ]
    }

    /// A credential with Apple's identity token, which stands in the place of an access token.
    func appleCredential() throws -> [String: Any] {
        [
            kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthAppleID,
            kTCGBAuthLoginWithCredentialAccessTokenKeyname: try server.idps.idToken(.apple, for: "alice").secretValue,
        ]
    }

    /// A proof of Game Center, with the keys of the dictionary.
    func gameCenter() throws -> [String: Any] {
        let proof = try server.idps.gameCenterProof(for: "alice")
        return [
            kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthiOSGameCenter,
            kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname: proof.publicKeyUrl,
            kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname: proof.signature,
            kTCGBAuthLoginWithCredentialGameCenterSaltKeyname: proof.salt,
            kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname: NSNumber(value: proof.timestamp),
            kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname: proof.playerId,
            kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname: proof.bundleId,
        ]
    }

    /// A guest on this device whose mapping of a provider conflicts with another member: the ticket, and the identity's owner.
    func conflict(_ type: String = kTCGBAuthFacebook) async throws -> (
        guest: String, other: String, error: TCGBError
    ) {
        let other = await onNewDevice().user(by: type)
        await begin()
        let guest = await user(by: kTCGBAuthGuest)
        return (guest, other, try #require(await map(type).error))
    }

    /// Bans a player.
    ///
    /// - Returns: the end of the ban, in milliseconds since 1970; nil for a ban without end.
    @discardableResult
    func ban(_ user: String, days: Int64? = nil, message: String? = nil) async throws -> Int64? {
        if let message {
            try await server.run(AddBanTemplate(code: 1, name: "cheat", texts: ["en": message]))
        }
        let end = days.map { Moment(milliseconds: server.milliseconds + $0 * 86_400_000) }
        _ = try await server.run(
            BanMembers([UserID(user)], until: end, template: message == nil ? nil : 1), reason: "aimbot")
        return end?.milliseconds
    }

    /// Ends a member's sessions on the server while the game is not running.
    func endSessions(of user: String) async throws {
        try await server.run(KickOut(user: UserID(user), message: [:]))
    }

    func setMaintenance(_ isOn: Bool) async throws {
        if isOn {
            let end = Moment(milliseconds: 4_000_000_000_000)
            try await server.run(PlanMaintenance(begin: nil, end: end, message: ["en": "Back soon"], url: nil))
        } else {
            try await server.run(EndMaintenance())
        }
        server.passSecond()
    }

    /// Whether the game's own server accepts a token.
    func isValid(_ token: String?, sourceLocation: SourceLocation = #_sourceLocation) async -> Bool {
        guard let token, let status = try? await server.check(AccessToken(token)).status, [200, 401].contains(status)
        else {
            Issue.record("no answer of the token check", sourceLocation: sourceLocation)
            return false
        }
        return status == 200
    }
}

extension LiveServer {
    /// Changes an operator's settings of a provider, in addition to the fake world's.
    func set(_ provider: Provider, _ members: [String: JSONValue]) async throws {
        let settings = (idps.configuration(of: provider).objectValue ?? [:]).merging(members) { $1 }
        try await run(
            SaveIdentityProvider(provider: provider, settings: .object(settings), secrets: idps.secrets(of: provider)))
    }

    /// Makes the operator accept the access tokens of the three providers that do not say for which app one was made.
    func acceptUnboundTokens() async throws {
        for provider in [Provider.naver, .twitter, .payco] { try await set(provider, ["acceptsUnboundTokens": true]) }
        passSecond()
    }

    /// The server's time, in milliseconds since 1970.
    var milliseconds: Int64 { clock.now.milliseconds }

    /// Whether a date is a time that the server has had since `begin`, plus a duration in milliseconds.
    func isTime(_ date: some BinaryInteger, plus duration: Int64 = 0, since begin: Int64) -> Bool {
        let time = Int64(date) - duration
        return begin <= time && time <= milliseconds
    }

    /// Puts the server's clock forward to a moment, in milliseconds since 1970.
    func advance(to milliseconds: some BinaryInteger) async throws {
        try await advance(to: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    }
}

extension JSONValue {
    subscript(_ name: String) -> JSONValue? { objectValue?[name] }
}
