import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

extension GamebaseTests {
    /// Events that the game itself has not caused are reported as Gamebase's events.
    @Suite @MainActor struct EventTests {
        /// A call that finds out whether the session is valid.
        private static func call() async -> TCGBError? {
            await ended { done in TCGBGamebase.queryTransferAccount { done($1) } }
        }

        private static func logIn(_ type: String) async throws -> UserID {
            let error: TCGBError? = await ended { done in
                TCGBGamebase.login(type: type, viewController: UIViewController()) { done($1) }
            }
            #expect(error == nil)
            return UserID(try #require(TCGBGamebase.userID()))
        }

        @Test(
            "LOGIN-12, BAN-2, BAN-5: bans, withdrawals, kick-outs and transfers reach the game, each in its form",
            arguments: Engine.ofDoors)
        func endings(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.endings(server) }
        }

        private static func endings(_ server: LiveServer) async throws {
            let probe = EventProbe()
            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)

            var user = try await logIn(kTCGBAuthGoogle)
            try await server.run(KickOut(user: user, message: ["en": "Maintenance soon"]))
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            // Each end causes only its own events: an additional one would come before those of the next end.
            var events = await probe.next(2)
            #expect(events.map(\.category) == ["serverPushAppKickoutMessageReceived", "serverPushAppKickout"])
            let push = TCGBGamebaseEventServerPushData.gamebaseEventServerPushData(jsonString: events[1].data)
            #expect("\(push.popup ?? [:])".contains("Maintenance soon"))
            #expect(TCGBGamebase.userID() == nil)

            user = try await logIn(kTCGBAuthGoogle)
            _ = try await server.run(BanMembers([user], until: nil), reason: "x")
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            events = await probe.next(1)
            #expect(events.map(\.category) == ["observerHeartbeat"])
            let ban = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: events[0].data)
            #expect(ban.code == Int64(TCGB_ERROR_BANNED_MEMBER))

            user = try await logIn(kTCGBAuthFacebook)
            try await server.run(WithdrawMember(user: user), reason: "asked by mail")
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            events = await probe.next(1)
            #expect(events.map(\.category) == ["observerHeartbeat"])
            let gone = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: events[0].data)
            #expect(gone.code == Int64(TCGB_ERROR_INVALID_MEMBER))

            _ = try await logIn(kTCGBAuthGuest)
            let account: TCGBTransferAccountInfo? = await ended { done in
                TCGBGamebase.issueTransferAccount { info, _ in done(info) }
            }
            let id = try #require(account?.account.accountId)
            let password = try #require(account?.account.accountPassword)
            let other = server.device("other", MemoryStorage())
            try await other.start()
            _ = try await other.redeemTransferAccount(id: id, password: TransferPassword(password))
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            events = await probe.next(1)
            #expect(events.map(\.category) == ["serverPushTransferKickout"])

            // A session that ends for another reason: the same device has logged out elsewhere.
            _ = try await logIn(kTCGBAuthFacebook)
            let twin = server.device("alice", device.storage)
            try await twin.start()
            _ = try await twin.logInWithLastProvider()
            try await twin.logOut()
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            events = await probe.next(1)
            #expect(events.map(\.category) == ["loggedOut"])
            let loggedOut = TCGBGamebaseEventLoggedOutData.gamebaseEventLoggedOutData(jsonString: events[0].data)
            #expect(loggedOut.extras == #"{"reason":"logged_out"}"#)
        }

        @Test(
            "A provider that was turned away from: 600 leads to a withdrawal, 601 to another login, 602 to a removal",
            arguments: Engine.ofDoors)
        func revoked(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.revoked(server) }
        }

        private static func map(_ type: String) async {
            let error: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(type: type, viewController: UIViewController()) { done($1) }
            }
            #expect(error == nil)
        }

        private static func remove(_ type: String) async -> TCGBError? {
            await ended { done in TCGBGamebase.removeMapping(type: type, viewController: nil) { done($0) } }
        }

        /// The only event, which names Apple.
        private static func revocation(_ probe: EventProbe) async -> TCGBGamebaseEventIdPRevokedData {
            let events = await probe.next(1)
            #expect(events.map(\.category) == ["idPRevoked"])
            let data = TCGBGamebaseEventIdPRevokedData.gamebaseEventIdPRevokedData(jsonString: events.first?.data)
            #expect(data.idPType == kTCGBAuthAppleID)
            return data
        }

        private static func revoked(_ server: LiveServer) async throws {
            let probe = EventProbe()
            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)

            // 600: this was the only provider. The session has ended, but can be used for a withdrawal.
            let left = try await logIn(kTCGBAuthAppleID)
            try await server.signal(.apple, "consent-revoked", of: "alice")
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            var data = await revocation(probe)
            #expect(data.code == Int64(TCGBIdPRevokedCode.IDP_REVOKED_WITHDRAW.rawValue))
            #expect(data.authMappingList == [])
            let withdrawal: TCGBError? = await ended { done in
                TCGBGamebase.withdraw(viewController: nil) { done($0) }
            }
            #expect(withdrawal == nil)
            #expect(TCGBGamebase.lastLoggedInProvider() == nil)

            // The provider's next login creates a new member. 601: this was the login's provider, and there is another.
            let stays = try await logIn(kTCGBAuthAppleID)
            #expect(stays != left)
            await map(kTCGBAuthGoogle)
            try await server.signal(.apple, "consent-revoked", of: "alice")
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            data = await revocation(probe)
            let overwrite = TCGBIdPRevokedCode.IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING
            #expect(data.code == Int64(overwrite.rawValue))
            #expect(data.authMappingList == [kTCGBAuthGoogle])
            #expect(try await logIn(kTCGBAuthGoogle) == stays)
            #expect(await remove(kTCGBAuthAppleID) == nil)
            #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGoogle])

            // 602: another provider than the login's. The session continues.
            await map(kTCGBAuthAppleID)
            try await server.signal(.apple, "consent-revoked", of: "alice")
            for _ in 0..<2 {
                let resumed: TCGBError? = await ended { done in
                    TCGBGamebase.loginForLastLoggedInProvider(viewController: UIViewController()) { done($1) }
                }
                #expect(resumed == nil)
            }
            data = await revocation(probe)
            #expect(data.code == Int64(TCGBIdPRevokedCode.IDP_REVOKED_REMOVE_MAPPING.rawValue))
            #expect(data.authMappingList == [kTCGBAuthGoogle])
            #expect(await remove(kTCGBAuthAppleID) == nil)

            // Each came only once: the next event is the end of a session that was withdrawn elsewhere.
            try await server.run(WithdrawMember(user: stays), reason: "asked by mail")
            try #require(await call()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            let events = await probe.next(1)
            #expect(events.map(\.category) == ["observerHeartbeat"])
        }

        @Test(
            "START-2, START-3: the game's status, its changes, and the notices that a game without alerts gets",
            arguments: Engine.ofDoors)
        func launching(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.launching(server) }
        }

        private static func launching(_ server: LiveServer) async throws {
            let probe = EventProbe()
            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)
            #expect(TCGBLaunching.launchingStatus() == .IN_SERVICE)
            let information = try #require(TCGBLaunching.launchingInformations())
            #expect(
                TCGBUtil.extractValue(fromJson: information, searchString: "launching.app.idP.google.clientId")
                    is String)
            let isTestDevice =
                TCGBUtil.extractValue(
                    fromJson: information, searchString: "launching.user.testDevice.matchingFlag") as? Bool
            #expect(isTestDevice == false)

            try await server.run(
                PlanMaintenance(
                    begin: nil, end: Moment(milliseconds: 4_000_000_000_000), message: ["en": "Back soon"], url: nil))
            server.passSecond()
            let refused: TCGBError? = await ended { done in
                TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil) { done($1) }
            }
            #expect(refused?.code == TCGB_ERROR_AUTH_NOT_PLAYABLE)
            var messages = probe.messages.makeAsyncIterator()
            let change = await messages.next(isolation: MainActor.shared)
            #expect(change?.category == TCGBGamebaseEventCategory.observerLaunching.rawValue)
            let data = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: change?.data)
            #expect(data.code == Int64(TCGBLaunchingStatus.INSPECTING_SERVICE.rawValue))
            #expect(data.message == "Back soon")
            #expect(TCGBLaunching.launchingStatus() == .INSPECTING_SERVICE)

            // On systems without alerts, their content is sent as an event, if the game has enabled them.
            let configuration = device.configuration()
            configuration.enablePopup(true)
            let started = await GamebaseDevice.start(configuration)
            #expect(started == nil)
            let notice = await messages.next(isolation: MainActor.shared)
            #expect(notice?.category == TCGBGamebaseEventCategory.observerLaunching.rawValue)
            #expect(notice?.data?.contains("Back soon") == true)
        }
    }
}

extension LiveServer {
    /// A provider's report, in the provider's format.
    func signal(_ provider: Provider, _ kind: String, of player: String) async throws {
        let (headers, body) = try idps.signal(provider, kind, of: player)
        let path = Endpoints.path(Endpoints.signal, of: provider, app: Self.app)
        let answer = try await GatehouseClient.Environment.live().send(
            TransportRequest(
                method: "POST", url: url.appendingPathComponent(String(path.dropFirst())),
                headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own }, body: body,
                timeoutSeconds: 60))
        try #require(answer.status == 200)
    }
}
