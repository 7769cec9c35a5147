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
            "K312 accounts are added and removed, and each of them leads to the same player",
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
                #expect(await game.user(by: kTCGBAuthFacebook) != user)
            }
        }

        @Test("K318 a player has one account of each provider", arguments: Engine.ofDoors)
        func oneOfEach(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(
                    await game.map(credential: game.credential(kTCGBAuthGoogle, of: "another")).code
                        == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP)
                #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGoogle])
            }
        }

        @Test("K334 a mapping of a guest takes the guest's place", arguments: Engine.ofDoors)
        func guest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).value?.mappingAuthList() == [kTCGBAuthGoogle])
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthGuest) != user)
            }
        }

        @Test("K344 a mapping needs a login", arguments: Engine.ofDoors)
        func loggedOut(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.map(kTCGBAuthGoogle).code == TCGB_ERROR_NOT_LOGGED_IN)
                #expect(
                    await game.map(credential: game.credential(kTCGBAuthGoogle)).code == TCGB_ERROR_NOT_LOGGED_IN)
                #expect(await game.unmap(kTCGBAuthGoogle)?.code == TCGB_ERROR_NOT_LOGGED_IN)
            }
        }

        @Test("K349 addMappingWithType:viewController:completion: maps", arguments: Engine.ofDoors)
        func map(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                let error: TCGBError? = await ended { done in
                    TCGBGamebase.addMapping(type: kTCGBAuthFacebook, viewController: nil) { done($1) }
                }
                #expect(error == nil)
                #expect(Set(TCGBGamebase.authMappingList() ?? []) == [kTCGBAuthGoogle, kTCGBAuthFacebook])
            }
        }

        @Test("K354 a mapping leaves the provider of the login", arguments: Engine.ofDoors)
        func loginStays(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                #expect(await game.unmap(kTCGBAuthGoogle)?.code == TCGB_ERROR_AUTH_REMOVE_MAPPING_LOGGED_IN_IDP)
            }
        }

        @Test("K355 but a guest goes on with the provider that was mapped", arguments: Engine.ofDoors)
        func guestGoesOn(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                #expect(TCGBGamebase.currentProvider() == kTCGBAuthGoogle)
            }
        }

        @Test(
            "K361 after 110 or 101 addMapping is called again, and succeeds, also where the answer was lost",
            arguments: Engine.ofDoors)
        func lostAnswer(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.behindRelay { far, relay in
                    let user = await far.user(by: kTCGBAuthGuest)
                    relay.cut()
                    let credential = far.credential(kTCGBAuthFacebook)
                    #expect(await far.map(credential: credential).code == TCGB_ERROR_SOCKET_ERROR)
                    relay.open()
                    relay.loseNextAnswer(to: "/mappings/add")
                    #expect(await far.map(credential: credential).code == TCGB_ERROR_SOCKET_ERROR)
                    // The server has done the work.
                    let member = try await far.server.run(ReadMemberReport(user: UserID(user))).member
                    #expect(member.mappings.map(\.provider) == [.facebook])
                    #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGuest])
                    #expect(await far.map(credential: credential).value?.mappingAuthList() == [kTCGBAuthFacebook])
                    #expect(TCGBGamebase.userID() == user)
                }
            }
        }

        @Test(
            "K363 an account of another player's is refused with 3302, and the error has the ticket",
            arguments: Engine.ofDoors)
        func ofAnother(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (guest, other, error) = try await game.conflict()
                #expect(error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER)
                let ticket = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: error))
                #expect(ticket.userId == guest)
                #expect(ticket.mappedUserId == other)
                #expect(ticket.idPCode == kTCGBAuthFacebook)
            }
        }

        @Test(
            "O355 the older way out: as the other player remove the mapping, or withdraw, and map then",
            arguments: Engine.ofDoors)
        func olderWayOut(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (guest, _, _) = try await game.conflict()
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                #expect(await game.logOut() == nil)
                await game.user(by: kTCGBAuthFacebook)
                #expect(await game.withdraw() == nil)
                #expect(await game.user(by: kTCGBAuthGoogle) == guest)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)

                // The other player, who has another provider as well, removes the mapping instead.
                let other = await game.onNewDevice("bob")
                let bob = await other.user(by: kTCGBAuthLine)
                #expect(await other.map(kTCGBAuthNaver).error == nil)
                #expect(await other.logOut() == nil)
                let second = await other.user(by: kTCGBAuthPayco)
                #expect(
                    await other.map(kTCGBAuthNaver).code
                        == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER)
                #expect(await other.logOut() == nil)
                #expect(await other.user(by: kTCGBAuthLine) == bob)
                #expect(await other.unmap(kTCGBAuthNaver) == nil)
                #expect(await other.logOut() == nil)
                #expect(await other.user(by: kTCGBAuthPayco) == second)
                #expect(await other.map(kTCGBAuthNaver).error == nil)
                #expect(Set(TCGBGamebase.authMappingList() ?? []) == [kTCGBAuthPayco, kTCGBAuthNaver])
            }
        }

        @Test("K365 a second account of a provider is refused with 3303", arguments: Engine.ofDoors)
        func sameProvider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(await game.map(kTCGBAuthFacebook).code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP)
            }
        }

        @Test("K369 what else goes wrong with a mapping is 3301", arguments: Engine.ofDoors)
        func otherErrors(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                game.server.idps.set(.wrongAudience, for: .apple)
                #expect(await game.map(kTCGBAuthAppleID).code == TCGB_ERROR_AUTH_ADD_MAPPING_FAILED)
                game.server.idps.set(nil, for: .apple)
                #expect(
                    await game.map(credential: [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthFacebook,
                        kTCGBAuthLoginWithCredentialAccessTokenKeyname: "nobody's",
                    ]).code == TCGB_ERROR_AUTH_ADD_MAPPING_FAILED)
                #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGoogle])
            }
        }

        @Test("K385 addMapping takes additionalInfo: LINE's region", arguments: Engine.ofDoors)
        func region(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                let info: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "thailand"]
                #expect(await game.map(kTCGBAuthLine, info).error == nil)
                #expect(await game.logOut() == nil)
                #expect(await game.logIn(kTCGBAuthLine, info).value?.tcgbMember.userId == user)
                #expect(await game.logOut() == nil)
                let elsewhere: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan"]
                #expect(await game.logIn(kTCGBAuthLine, elsewhere).value?.tcgbMember.userId != user)
            }
        }

        @Test("K394 both forms of addMapping take nothing where nothing is given", arguments: Engine.ofDoors)
        func nullability(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                // Without a completion, the list shows the result.
                TCGBGamebase.addMapping(
                    type: kTCGBAuthFacebook, additionalInfo: nil, viewController: nil, completion: nil)
                while TCGBGamebase.authMappingList()?.count == 1 { try await Task.sleep(for: .milliseconds(10)) }
                // It tells so a moment before the call has ended, which brings along what the provider has told.
                var error: TCGBError?
                repeat {
                    error = await ended { done in
                        TCGBGamebase.addMapping(type: kTCGBAuthAppleID, viewController: nil) { done($1) }
                    }
                } while error?.code == TCGB_ERROR_AUTH_ALREADY_IN_PROGRESS_ERROR
                #expect(error == nil)
            }
        }

        @Test("K403 the example authAddMapping", arguments: Engine.ofDoors)
        func example(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                _ = try await game.conflict()
                #expect(await game.example { $0.authAddMapping() } == "Already mapped to other member")
                let fresh = await game.onNewDevice("bob")
                await fresh.user(by: kTCGBAuthGuest)
                #expect(await fresh.example { $0.authAddMapping() } == "AddMapping is succeeded.")
            }
        }

        @Test("K420 addMappingWithCredential:viewController:completion: maps", arguments: Engine.ofDoors)
        func credential(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(credential: game.credential(kTCGBAuthFacebook)).error == nil)
                #expect(
                    await game.map(credential: [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthAppleID
                    ]).code == TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO)
            }
        }

        @Test("K458 the example authAddMappingCredential", arguments: Engine.ofDoors)
        func credentialExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                let seed = SeedGame()
                seed.facebookAccessToken = game.token(kTCGBAuthFacebook)
                #expect(await game.example(seed) { $0.authAddMappingCredential() } == "AddMapping is succeeded.")
            }
        }

        @Test(
            "K485 addMappingForciblyWithTicket: moves the account with addMapping's ticket",
            arguments: Engine.ofDoors)
        func force(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (guest, other, error) = try await game.conflict()
                let ticket = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: error))
                #expect(await game.map(forcing: ticket).value?.mappingAuthList() == [kTCGBAuthFacebook])
                #expect(TCGBGamebase.userID() == guest)
                // A ticket can be used only once, and only by the session that it was issued to.
                #expect(
                    await game.map(forcing: ticket).code == TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_ALREADY_USED_KEY)
                #expect(await game.logOut() == nil)
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(user == guest && user != other)
                #expect(await game.map(forcing: ticket).code == TCGB_ERROR_AUTH_ADD_MAPPING_FORCIBLY_NOT_EXIST_KEY)
            }
        }

        @Test(
            "K506 forcingMappingTicketFromError: is the ticket of a conflict, and nil of any other error",
            arguments: Engine.ofDoors)
        func ticket(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, _, error) = try await game.conflict()
                let ticket = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: error))
                #expect(!ticket.forcingMappingKey.isEmpty)
                #expect(ticket.expirationDate > Int64(Date().timeIntervalSince1970 * 1_000))
                let other = try #require(await game.map(kTCGBAuthSteam).error)
                #expect(TCGBForcingMappingTicket.forcingMappingTicket(fromError: other) == nil)
            }
        }

        @Test(
            "K524 changeLoginWithForcingMappingTicket: logs in as the account's player",
            arguments: Engine.ofDoors)
        func changeLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, other, _) = try await game.conflict()
                #expect(await game.example { $0.authChangeLogin() } == "Change login succeeded.")
                #expect(TCGBGamebase.userID() == other)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthFacebook)
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

                // This also holds when the response to a successful call was lost.
                let owner = await game.onNewDevice().user(by: kTCGBAuthGoogle)
                try await game.behindRelay { far, relay in
                    let own = await far.user(by: kTCGBAuthGuest)
                    let conflict = try #require(await far.map(kTCGBAuthGoogle).error)
                    let second = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: conflict))
                    relay.loseNextAnswer(to: "/login/change")
                    #expect(await far.changeLogin(second).code == TCGB_ERROR_SOCKET_ERROR)
                    #expect(TCGBGamebase.userID() == own)
                    #expect(await far.isValid(TCGBGamebase.accessToken()))
                    let changed = await far.changeLogin(second)
                    #expect(changed.value?.tcgbMember.userId == owner, "\(String(describing: changed.error))")
                }
            }
        }

        @Test("K568 the only provider can't be removed: 3402", arguments: Engine.ofDoors)
        func removeTheOnlyOne(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.unmap(kTCGBAuthGoogle)?.code == TCGB_ERROR_AUTH_REMOVE_MAPPING_LAST_MAPPED_IDP)
                #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGoogle])
            }
        }

        @Test("K572 the example removeMapping", arguments: Engine.ofDoors)
        func remove(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(await game.example { $0.authRemoveMapping() } == "To Remove Mapping Succeeded")
                #expect(
                    await game.example { $0.authRemoveMapping() }
                        == "To Remove Mapping Failed cause of the error \(TCGB_ERROR_AUTH_REMOVE_MAPPING_FAILED)")
            }
        }

        @Test("K582 authMappingList is the names of the mapped providers", arguments: Engine.ofDoors)
        func list(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.authMappingList() == nil)
                await game.user(by: kTCGBAuthGoogle)
                #expect(SeedGame().authMappingList() == [kTCGBAuthGoogle])
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(Set(SeedGame().authMappingList()) == [kTCGBAuthGoogle, kTCGBAuthFacebook])
            }
        }

        @Test(
            "K367 after a removal another account of the same provider can be mapped (MAP-8)",
            arguments: Engine.ofDoors)
        func anotherAccount(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                await there.user(by: kTCGBAuthGoogle)
                #expect(await there.map(kTCGBAuthFacebook).error == nil)
                #expect(await there.unmap(kTCGBAuthFacebook) == nil)
                desk.player = "bob"
                let mapped = try #require(await there.map(kTCGBAuthFacebook).value)
                let facebook = mapped.tcgbMember.authList?.first { $0.idPCode == kTCGBAuthFacebook }
                #expect(facebook?.authKey.contains(there.server.idps.subject(of: "bob", at: .facebook)) == true)
            }
        }

        @Test("K431 credentials of the listed providers can be mapped (MAP-5)", arguments: Engine.ofDoors)
        func credentials(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                for provider in [Provider.naver, .twitter, .payco] {
                    try await $0.set(provider, ["acceptsUnboundTokens": true])
                }
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                await game.user(by: kTCGBAuthWeibo)
                for provider in [
                    kTCGBAuthFacebook, kTCGBAuthNaver, kTCGBAuthGoogle, kTCGBAuthTwitter, kTCGBAuthLine, kTCGBAuthPayco,
                ] {
                    #expect(await game.map(credential: game.credential(provider)).error == nil, "\(provider)")
                }
                #expect(await game.map(credential: try game.gameCenter()).error == nil)
                let apple: [String: Any] = [
                    kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthAppleID,
                    kTCGBAuthLoginWithCredentialAccessTokenKeyname: try game.server.idps.idToken(.apple, for: "alice")
                        .secretValue,
                ]
                #expect(await game.map(credential: apple).error == nil)
                #expect(TCGBGamebase.authMappingList()?.count == 9)
            }
        }

        @Test("K569 a removal logs out of the provider", arguments: Engine.ofDoors)
        func removalLogsOut(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                await there.user(by: kTCGBAuthGoogle)
                #expect(await there.map(kTCGBAuthFacebook).error == nil)
                #expect(await there.unmap(kTCGBAuthFacebook) == nil)
                #expect(await there.map(kTCGBAuthFacebook).error == nil)
                #expect(desk.timesAsked == 3)
                // The other provider has not changed.
                #expect(Set(TCGBGamebase.authMappingList() ?? []) == [kTCGBAuthGoogle, kTCGBAuthFacebook])
            }
        }
    }
}
