import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests {
    /// Each example of the guides, run against a real server.
    @Suite @MainActor struct SeedExampleTests {
        /// The result of an example.
        private static func run(_ game: SeedGame, _ example: (SeedGame) -> Void) async -> String {
            await ended { done in
                game.onEnd = { text in done(text) }
                example(game)
            }
        }

        @Test(
            "LOGIN-1, LOGIN-2, LOGIN-8, LOGOUT-1: the examples of login, logout and information",
            arguments: Engine.ofDoors)
        func login(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.login(server) }
        }

        private static func login(_ server: LiveServer) async throws {
            let game = SeedGame()
            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)
            #expect(await run(game) { $0.automaticLogin() } == "Show the IdPs")
            #expect(TCGBGamebase.authMappingList() == nil)
            let guest = await run(game) { $0.loginGuest() }
            #expect(TCGBGamebase.userID() == guest)
            #expect(game.information()[2] == kTCGBAuthGuest)
            // The game is restarted: the device has stored the session.
            #expect(await device.start() == nil)
            #expect(TCGBGamebase.userID() == nil)
            #expect(await run(game) { $0.automaticLogin() } == "Login is succeeded.")
            #expect(TCGBGamebase.userID() == guest)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            #expect(game.information() == [nil, nil, nil])

            let alice = await run(game) { $0.loginFacebookButtonClick() }
            #expect(game.information()[0] == alice)
            #expect(game.information()[2] == kTCGBAuthFacebook)
            #expect(game.authMappingList() == ["facebook"])
            #expect(await run(game) { $0.loginFacebookButtonClick() } == "To Login Failed 3201")
            let token = try AccessToken(#require(TCGBGamebase.accessToken()))
            #expect(try await server.check(token).status == 200)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")

            let japan = await run(game) { $0.loginLineButtonClick(region: "japan") }
            #expect(TCGBGamebase.currentProvider() == kTCGBAuthLine)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            #expect(await run(game) { $0.loginLineButtonClick(region: "taiwan") } != japan)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")

            game.facebookAccessToken = server.idps.accessToken(.facebook, for: "alice").secretValue
            #expect(await run(game) { $0.authLoginWithCredential() } == alice)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            game.facebookAccessToken = ""
            #expect(await run(game) { $0.authLoginWithCredential() } == "3202")
        }

        @Test(
            "MAP-3, MAP-6, MAP-7, MAP-8: the examples of mapping, with both ways out of a conflict",
            arguments: Engine.ofDoors)
        func mapping(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.mapping(server) }
        }

        private static func mapping(_ server: LiveServer) async throws {
            let game = SeedGame()
            // Facebook's account belongs to another member.
            let first = GamebaseDevice(server, "alice")
            #expect(await first.start() == nil)
            let other = await run(game) { $0.loginFacebookButtonClick() }

            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)
            let guest = await run(game) { $0.loginGuest() }
            #expect(await run(game) { $0.authAddMapping() } == "Already mapped to other member")
            game.facebookAccessToken = server.idps.accessToken(.facebook, for: "alice").secretValue
            #expect(await run(game) { $0.authAddMappingCredential() } == "Already mapped to other member")
            #expect(await run(game) { $0.authChangeLogin() } == "Change login succeeded.")
            #expect(TCGBGamebase.userID() == other)
            #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthFacebook)

            let second = GamebaseDevice(server, "alice")
            #expect(await second.start() == nil)
            let winner = await run(game) { $0.loginGuest() }
            #expect(winner != guest)
            #expect(await run(game) { $0.authAddMappingForcibly() } == "Mapping success.")
            #expect(TCGBGamebase.userID() == winner)
            #expect(game.authMappingList() == ["facebook"])
            // A guest's first mapping becomes its login.
            #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthFacebook)
            let failed = "To Remove Mapping Failed cause of the error"
            #expect(await run(game) { $0.authRemoveMapping() } == "\(failed) 3402")
            let google: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(type: kTCGBAuthGoogle, viewController: game.topViewController) { done($1) }
            }
            #expect(google == nil)
            #expect(game.authMappingList().sorted() == ["facebook", "google"])
            #expect(await run(game) { $0.authRemoveMapping() } == "\(failed) 3403")
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            let login: TCGBError? = await ended { done in
                TCGBGamebase.login(type: kTCGBAuthGoogle, viewController: game.topViewController) { done($1) }
            }
            #expect(login == nil)
            #expect(await run(game) { $0.authRemoveMapping() } == "To Remove Mapping Succeeded")
            #expect(game.authMappingList() == ["google"])
            #expect(await run(game) { $0.authRemoveMapping() } == "\(failed) 3401")
            #expect(await run(game) { $0.authAddMapping() } == "AddMapping is succeeded.")
            #expect(await run(game) { $0.authRemoveMapping() } == "To Remove Mapping Succeeded")
            // The first device has used alice's token, so it is the first device's.
            game.facebookAccessToken = server.idps.accessToken(.facebook, for: "bob").secretValue
            #expect(await run(game) { $0.authAddMappingCredential() } == "AddMapping is succeeded.")
        }

        @Test(
            "TRANSFER-2, TRANSFER-3, TRANSFER-4, TRANSFER-6, TRANSFER-7, TRANSFER-8: the examples of both kinds of transfer",
            arguments: Engine.ofDoors)
        func transfer(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.transfer(server) }
        }

        private static func transfer(_ server: LiveServer) async throws {
            let game = SeedGame()
            let old = GamebaseDevice(server, "alice")
            #expect(await old.start() == nil)
            let guest = await run(game) { $0.loginGuest() }
            #expect(await run(game) { $0.queryTransferAccount() }.contains("3046"))
            #expect(await run(game) { $0.issueTransferAccount() }.contains("\"issuedType\":\"AUTO\""))
            #expect(await run(game) { $0.queryTransferAccount() }.contains("\"id\":\"\(game.account.id)\""))
            #expect(await run(game) { $0.transferOtherDevice() }.hasSuffix(" 8"))
            #expect(await run(game) { $0.renewTransferAccount(manually: false) } == "Renewing TransferAccount success.")
            #expect(await run(game) { $0.renewTransferAccount(manually: true) } == "Renewing TransferAccount success.")
            #expect(game.account == ("123412341234", "aB3aB3aB3x"))

            let new = GamebaseDevice(server, "alice")
            #expect(await new.start() == nil)
            let right = game.account
            game.account.password = "wrongWRONG1"
            for _ in 0..<5 { #expect(await run(game) { $0.transferOtherDevice() }.hasSuffix(" 3044")) }
            #expect(await run(game) { $0.transferOtherDevice() } == "Transfering Account failed. \(right.id) 5 true")

            #expect(await old.start() == nil)
            #expect(await run(game) { $0.automaticLogin() } == "Login is succeeded.")
            #expect(await run(game) { $0.issueTransferAccount() }.contains("AUTO"))
            // The device that has made the attempts is blocked too, even for the new pair.
            #expect(await new.start() == nil)
            #expect(await run(game) { $0.transferOtherDevice() }.hasPrefix("Transfering Account failed. "))
            #expect(await GamebaseDevice(server, "alice").start() == nil)
            #expect(await run(game) { $0.transferOtherDevice() } == "Transfering Account success. \(guest)")
            #expect(await run(game) { ($0 as any OldExamples).issueTransferKeyToTransfer() } == "8 3600000")

            let third = GamebaseDevice(server, "alice")
            #expect(await third.start() == nil)
            #expect(await run(game) { ($0 as any OldExamples).transferGuestAccount() } == "\(guest) [\"guest\"]")
            #expect(
                await run(game) { ($0 as any OldExamples).transferGuestAccount() } == "Transfer Occur Error => 3032")
        }

        @Test(
            "WITHDRAW-1, WITHDRAW-2, BAN-4: the examples of withdrawal with grace, and of the grace ban",
            arguments: Engine.ofDoors)
        func withdrawal(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.withdrawal(server) }
        }

        private static func withdrawal(_ server: LiveServer) async throws {
            let game = SeedGame()
            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)
            #expect(await run(game) { $0.testLogin() } == "Login Success")
            let first = TCGBGamebase.userID()
            #expect(await run(game) { $0.testCancelWithdraw() } == "Never requested temporary withdrawal before.")
            let begin = server.milliseconds
            let success = "Request temporary withdrawal success. "
            let requested = await run(game) { $0.testRequestWithdraw() }
            #expect(requested.hasPrefix(success), "\(requested)")
            let date = try #require(Int64(requested.dropFirst(success.count)))
            #expect(server.isTime(date, plus: 7 * 86_400_000, since: begin), "\(date)")
            #expect(await run(game) { $0.testRequestWithdraw() } == "Already requested temporary withdrawal before.")
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            #expect(await run(game) { $0.testLogin() } == "under temporary withdrawal \(date)")
            #expect(await run(game) { $0.testCancelWithdraw() } == "Cancel temporary withdrawal success.")
            #expect(await run(game) { $0.testWithdrawImmediately() } == "Withdraw success.")
            #expect(TCGBGamebase.userID() == nil)
            #expect(await run(game) { $0.testLogin() } == "Login Success")
            let user = try #require(TCGBGamebase.userID())
            #expect(user != first)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")

            #expect(await run(game) { $0.testGraceBanInfo() } == "Login Success")
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            // Without its percent-encoding the example's message would be no text.
            let graceBan = GraceBan(
                gracePeriodDate: server.milliseconds + 86_400_000,
                message: "Pay 50% by tomorrow: 결제",
                paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "KRW"),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: 4_900.5, count: 2, currency: "KRW", conditionType: .and))
            try await server.registerGraceBan(graceBan, of: UserID(user))
            #expect(
                await run(game) { $0.testGraceBanInfo() }
                    == "\(graceBan.gracePeriodDate) Pay 50% by tomorrow: 결제 0.0 0 4900.5 2 KRW AND")
            #expect(await run(game) { $0.authWithdrawal() } == "To Withdrawal Succeeded")
        }

        @Test(
            "INFO-2: what the oldest guide knows of providers, bans and library errors",
            arguments: Engine.ofDoors)
        func oldest(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.oldest(server) }
        }

        private static func oldest(_ server: LiveServer) async throws {
            let game = SeedGame()
            let device = GamebaseDevice(server, "alice")
            #expect(await device.start() == nil)
            let token = server.idps.accessToken(.facebook, for: "alice").secretValue
            game.facebookAccessToken = token
            let user = await run(game) { $0.authLoginWithCredential() }
            #expect(
                (game as any OldExamples).oldInformation().userID == server.idps.subject(of: "alice", at: .facebook))
            #expect((game as any OldExamples).oldInformation().accessToken == token)
            #expect(
                (game as any OldExamples).oldInformation().profile?.userID
                    == server.idps.subject(of: "alice", at: .facebook))
            #expect(
                (game as any OldExamples).oldInformation().profile?.information["name"] as? String == "Player alice")
            #expect((game as any OldExamples).oldInformation().ban == nil)
            #expect(await run(game) { $0.authLogout() } == "To Logout Succeeded")
            #expect((game as any OldExamples).oldInformation().accessToken == nil)

            _ = try await server.run(BanMembers([UserID(user)], until: nil), reason: "aimbot")
            #expect(await run(game) { $0.authLoginWithCredential() } == "7")
            #expect((game as any OldExamples).oldInformation().ban?.userId == user)

            let library = TCGBError.result(
                domain: "FBSDK", code: TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR, description: nil,
                underlyingError: NSError(
                    domain: "FBSDK", code: 304, userInfo: [NSLocalizedDescriptionKey: "no key hash"]))
            #expect(game.detailOfError(library) == (304, "no key hash"))
            #expect(try #require(game.moduleError(of: library)) == (304, "no key hash"))
            #expect(game.log.last?.contains("no key hash") == true)
        }
    }
}

extension LiveServer {
    /// Registers a grace ban, as a game server does.
    func registerGraceBan(_ graceBan: GraceBan, of user: UserID) async throws {
        let answer = try await call(
            Endpoints.registerGraceBan,
            GraceBanRequest(userId: user, graceBan: graceBan, registeredBy: "anti-cheat"))
        try #require(answer.status == 200)
    }
}
