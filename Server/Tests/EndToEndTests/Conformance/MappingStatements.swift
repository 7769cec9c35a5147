import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' chapter on mapping.
    @Suite @MainActor struct MappingStatements {
        @Test(
            "K251 K312 accounts are added and removed, and each of them leads to the same player",
            arguments: Engine.ofDoors)
        func oneMember(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                for provider in [kTCGBAuthFacebook, kTCGBAuthAppleID] {
                    #expect(await game.map(provider).value?.tcgbMember.userId == user)
                }
                for provider in [kTCGBAuthFacebook, kTCGBAuthAppleID, kTCGBAuthGoogle] {
                    #expect(await game.logOut() == nil)
                    #expect(await game.user(by: provider) == user)
                }
                #expect(await game.unmap(kTCGBAuthFacebook) == nil)
                #expect(Set(TCGBGamebase.authMappingList() ?? []) == [kTCGBAuthGoogle, kTCGBAuthAppleID])
                #expect(await game.logOut() == nil)
                let other = await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthFacebook).value?.tcgbMember.userId == other)
                #expect(other != user)
            }
        }

        @Test("K318 K365 K988 a player has one account of each provider: 3303", arguments: Engine.ofDoors)
        func oneOfEach(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                // On the pages of the other device another player logs in.
                let shared = await game.onNewDevice("another")
                let login = await shared.logIn(credential: game.credential(kTCGBAuthGoogle))
                #expect(login.value?.tcgbMember.userId == user)
                for provider in [kTCGBAuthGoogle, kTCGBAuthFacebook] {
                    let codes = [
                        await shared.map(provider).code,
                        await shared.map(credential: game.credential(provider, of: "another")).code,
                        // The same account is no second one, and is refused with the same code.
                        await shared.map(credential: game.credential(provider)).code,
                    ]
                    #expect(
                        codes.allSatisfy { $0 == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP },
                        "\(provider): \(codes)")
                }
                let mappings = try await game.server.run(.memberReport(of: UserID(user))).member.mappings
                let alices = [Provider.google, .facebook].map { game.server.idps.subject(of: "alice", at: $0) }
                #expect(mappings.map(\.subject).sorted() == alices.sorted())
                // The other accounts are free.
                for provider in [kTCGBAuthGoogle, kTCGBAuthFacebook] {
                    #expect(await shared.logOut() == nil)
                    let other = await shared.logIn(credential: game.credential(provider, of: "another"))
                    #expect(other.error == nil)
                    #expect(other.value?.tcgbMember.userId != user, "\(provider)")
                }
            }
        }

        @Test(
            "K334 K355 a mapping of a guest takes the guest's place, and the guest goes on with the provider",
            arguments: Engine.ofDoors)
        func guest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).value?.mappingAuthList() == [kTCGBAuthGoogle])
                #expect(TCGBGamebase.userID() == user)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                #expect(TCGBGamebase.currentProvider() == kTCGBAuthGoogle)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthGuest) != user)
            }
        }

        @Test("K283 K344 a mapping and a withdrawal need a login", arguments: Engine.ofDoors)
        func loggedOut(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let codes = [
                    await game.map(kTCGBAuthGoogle).code,
                    await game.map(credential: game.credential(kTCGBAuthGoogle)).code,
                    await game.unmap(kTCGBAuthGoogle)?.code, await game.withdraw()?.code,
                    await game.withdrawImmediately()?.code, await game.requestWithdrawal().code,
                    await game.cancelWithdrawal()?.code,
                ]
                #expect(codes.allSatisfy { $0 == TCGB_ERROR_NOT_LOGGED_IN }, "\(codes)")
            }
        }

        @Test(
            "K354 K990 K993 a mapping leaves the provider of the login, which can't be removed: 3403; a guest is no mapping: 3305",
            arguments: Engine.ofDoors)
        func loginStays(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                #expect(TCGBGamebase.currentProvider() == kTCGBAuthGoogle)
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                #expect(TCGBGamebase.currentProvider() == kTCGBAuthGoogle)
                #expect(await game.unmap(kTCGBAuthGoogle)?.code == TCGB_ERROR_AUTH_REMOVE_MAPPING_LOGGED_IN_IDP)
                #expect(await game.map(kTCGBAuthGuest).code == TCGB_ERROR_AUTH_ADD_MAPPING_CANNOT_ADD_GUEST_IDP)
            }
        }

        @Test(
            "K369 K983 K986 what else goes wrong with a login is 3201, and with a mapping 3301",
            arguments: Engine.ofDoors)
        func otherErrors(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                game.server.idps.set(.wrongAudience, for: .apple)
                #expect(await game.logIn(kTCGBAuthAppleID).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthAppleID).code == TCGB_ERROR_AUTH_ADD_MAPPING_FAILED)
                #expect(
                    await game.map(credential: [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthFacebook,
                        kTCGBAuthLoginWithCredentialAccessTokenKeyname: "nobody's",
                    ]).code == TCGB_ERROR_AUTH_ADD_MAPPING_FAILED)
                #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGoogle])
            }
        }

        @Test(
            "K363 K485 K506 K987 an account of another player's is refused with 3302, whose ticket moves it",
            arguments: Engine.ofDoors)
        func force(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let begin = game.server.milliseconds
                let (guest, other, error) = try await game.conflict()
                #expect(error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER)
                let ticket = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: error))
                #expect(ticket.userId == guest)
                #expect(ticket.mappedUserId == other)
                #expect(ticket.idPCode == kTCGBAuthFacebook)
                #expect(!ticket.forcingMappingKey.isEmpty)
                // A ticket is valid for ten minutes.
                #expect(
                    game.server.isTime(ticket.expirationDate, plus: 600_000, since: begin), "\(ticket.expirationDate)")
                let strange = try #require(await game.map(kTCGBAuthSteam).error)
                #expect(TCGBForcingMappingTicket.forcingMappingTicket(fromError: strange) == nil)
                #expect(await game.map(forcing: ticket).value?.mappingAuthList() == [kTCGBAuthFacebook])
                #expect(TCGBGamebase.userID() == guest)
                // A ticket can be used only once, and only by the session that it was issued to.
                let used = try #require(await game.map(forcing: ticket).error)
                #expect(used.code == TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_ALREADY_USED_KEY)
                #expect(TCGBForcingMappingTicket.forcingMappingTicket(fromError: used) == nil)
                #expect(await game.logOut() == nil)
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(user == guest && user != other)
                #expect(await game.map(forcing: ticket).code == TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_NOT_EXIST_KEY)
            }
        }

        @Test("K527 a change of login that fails leaves the former login (MAP-7)", arguments: Engine.ofDoors)
        func changeLoginFails(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (guest, other, error) = try await game.conflict()
                let ticket = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: error))
                try await game.ban(other)
                #expect(await game.changeLogin(ticket).code == TCGB_ERROR_BANNED_MEMBER)
                #expect(TCGBGamebase.userID() == guest)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGuest)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
            }
        }

        @Test("K420 K431 credentials of the listed providers can be mapped (MAP-5)", arguments: Engine.ofDoors)
        func credentials(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthWeibo)
                let unbound = [kTCGBAuthNaver, kTCGBAuthTwitter, kTCGBAuthPayco]
                for provider in unbound {
                    let error = try #require(await game.map(credential: game.credential(provider)).error)
                    #expect(error.code == TCGB_ERROR_AUTH_ADD_MAPPING_FAILED, "\(provider)")
                    #expect(error.message.contains("accept-unbound-tokens"), "\(error.message)")
                }
                try await game.server.acceptUnboundTokens()
                let others = [kTCGBAuthFacebook, kTCGBAuthGoogle, kTCGBAuthLine]
                for provider in others + unbound {
                    #expect(await game.map(credential: game.credential(provider)).error == nil, "\(provider)")
                }
                #expect(await game.map(credential: try game.gameCenter()).error == nil)
                #expect(await game.map(credential: try game.appleCredential()).error == nil)
                #expect(
                    await game.map(credential: [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthHangame
                    ]).code == TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO)
                let all = [kTCGBAuthWeibo, kTCGBAuthiOSGameCenter, kTCGBAuthAppleID] + others + unbound
                #expect(TCGBGamebase.authMappingList()?.sorted() == all.sorted())
            }
        }
    }
}
