import FakeProviders
import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import TestDatabases
import Testing

/// A player's whole account, with the SDK on two devices against one server.
@Suite(.timeLimit(.minutes(10))) struct AccountTests {
    @Test(
        "MAP-3, MAP-6, MAP-7, MAP-9: a conflict on a second device, solved in both ways",
        arguments: Engine.ofDoors)
    func conflict(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let storage = MemoryStorage()
            let phone = server.device("alice", storage)
            try await phone.start()
            let first = try await phone.logIn(with: .guest).member
            #expect(phone.lastProvider == .guest)
            _ = try await phone.addMapping(.google)
            #expect(phone.mappings == [.google])
            #expect(phone.currentProvider == .google)
            #expect(phone.lastProvider == .google)
            #expect(phone.userID == first.userId)
            // The game now uses the new token.
            #expect(try await server.check(phone.validAccessToken()).status == 200)
            _ = try await phone.addMapping(.facebook)
            #expect(phone.mappings == [.google, .facebook])
            #expect(await failure { try await phone.addMapping(.facebook) }?.code == .authAddMappingAlreadyHasSameIDP)
            #expect(await failure { try await phone.addMapping(.guest) }?.code == .authAddMappingCannotAddGuestIDP)

            let tablet = server.device("alice")
            try await tablet.start()
            let second = try await tablet.logIn(with: .guest).member
            let error = try await failure { try await tablet.addMapping(.google) }.unwrapped()
            #expect(error.code == .authAddMappingAlreadyMappedToOtherMember)
            let ticket = try error.forcingMappingTicket.unwrapped()
            #expect(ticket.mappedUserId == first.userId)
            #expect(ticket.mappedMember.providers == [.google, .facebook])
            #expect(!error.description.contains(ticket.forcingMappingKey.secretValue))
            #expect(tablet.userID == second.userId)
            _ = try await tablet.addMapping(forcing: ticket)
            #expect(tablet.mappings == [.google])
            #expect(tablet.userID == second.userId)
            let used = await failure { try await tablet.addMapping(forcing: ticket) }
            #expect(used?.code == .authAddMappingForciblyAlreadyUsedKey)

            // The phone's identity has moved: the phone is notified, and its other identity still belongs to its member.
            #expect(await failure { try await phone.sendHeartbeat() }?.reason == .identityRemoved)
            let text = "Your way to log in no longer leads to this account. Please log in again."
            #expect(phone.state == .signedOut(.sessionEnded(SessionNotice(reason: .identityRemoved, message: text))))
            #expect(try await phone.logIn(with: .facebook).member.userId == first.userId)

            // The alternative is to log in as the other member.
            let other = server.device("alice")
            try await other.start()
            _ = try await other.logIn(with: .guest)
            let again = try await failure { try await other.addMapping(.facebook) }.unwrapped()
            let login = try await other.changeLogin(with: again.forcingMappingTicket.unwrapped())
            #expect(login.member.userId == first.userId)
            #expect(other.state == .signedIn(login.member))
            #expect(other.lastProvider == .facebook)

            // The next day, after a restart.
            let next = server.device("alice", storage)
            try await next.start()
            #expect(try await next.logInWithLastProvider().member.userId == first.userId)
        }
    }

    @Test("MAP-8: removal keeps the one that is logged in, and the last", arguments: Engine.ofDoors)
    func remove(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let device = server.device("alice")
            try await device.start()
            _ = try await device.logIn(with: .google)
            #expect(await failure { try await device.removeMapping(.google) }?.code == .authRemoveMappingLastMappedIDP)
            _ = try await device.addMapping(.apple)
            #expect(await failure { try await device.removeMapping(.google) }?.code == .authRemoveMappingLoggedInIDP)
            #expect(try await device.removeMapping(.apple).mappings.map(\.provider) == [.google])
            #expect(device.mappings == [.google])
            #expect(await failure { try await device.removeMapping(.apple) }?.code == .authRemoveMappingFailed)
        }
    }

    @Test("TRANSFER-7: a guest moves from one device to another, and the old one is told", arguments: Engine.ofDoors)
    func transfer(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let old = server.device("alice")
            try await old.start()
            let member = try await old.logIn(with: .guest).member
            #expect(await failure { try await old.queryTransferAccount() }?.code == .authTransferAccountNotExist)
            let account = try await old.issueTransferAccount()
            #expect(try await old.queryTransferAccount().id == account.id)
            let renewed = try await old.renewTransferAccount(.automatic(.password))
            #expect(renewed.id == account.id)
            let own = try await old.renewTransferAccount(.manual(id: "123456789012", password: "Abcdefgh12"))
            #expect(own.id == "123456789012")
            let password = try own.password.unwrapped()
            #expect(
                await failure { try await old.redeemTransferAccount(id: own.id, password: password) }?.code
                    == .sameRequestor)

            let new = server.device("alice")
            try await new.start()
            _ = try await new.logIn(with: .guest)
            let wrong = await failure { try await new.redeemTransferAccount(id: own.id, password: "Wrong12345") }
            #expect(wrong?.code == .authTransferAccountInvalidPassword)
            let login = try await new.redeemTransferAccount(id: own.id, password: password)
            #expect(login.member.userId == member.userId)
            #expect(new.userID == member.userId)
            #expect(await failure { try await old.sendHeartbeat() }?.reason == .transferred)
            let text = "The transfer is complete: your account has moved to another device."
            #expect(old.state == .signedOut(.sessionEnded(SessionNotice(reason: .transferred, message: text))))
            #expect(try await old.logIn(with: .guest).member.userId != member.userId)

            // A transfer to a device that is logged in with a provider is refused.
            let other = server.device("bob")
            try await other.start()
            _ = try await other.logIn(with: .google)
            let refused = await failure { try await other.redeemTransferAccount(id: own.id, password: password) }
            #expect(refused?.code == .notGuestOrHasOthers)

            let key = try await new.issueTransferKey(validFor: .seconds(60))
            let third = server.device("alice")
            try await third.start()
            #expect(try await third.redeemTransferKey(key.transferKey).member.userId == member.userId)
        }
    }

    @Test("WITHDRAW-1, WITHDRAW-2: a grace period, its end, and a withdrawal", arguments: Engine.ofDoors)
    func withdrawal(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let storage = MemoryStorage()
            let device = server.device("alice", storage)
            try await device.start()
            let member = try await device.logIn(with: .google).member
            #expect(try await device.requestWithdrawal().status == .pendingWithdrawal)
            #expect(
                await failure { try await device.requestWithdrawal() }?.code == .authWithdrawAlreadyTemporaryWithdraw)
            #expect(try await device.sendHeartbeat().standing.reason == .withdrawalPending)
            #expect(try await device.cancelWithdrawal().status == .normal)
            #expect(await failure { try await device.cancelWithdrawal() }?.code == .authWithdrawNotTemporaryWithdraw)
            try await device.withdraw()
            #expect(device.state == .signedOut(.sessionEnded(SessionNotice(reason: .withdrawn))))
            #expect(device.lastProvider == nil)
            #expect(storage.contents["session"] == nil)
            #expect(await failure { try await device.withdraw() }?.code == .notLoggedIn)
            let again = try await device.logIn(with: .google).member
            #expect(again.userId != member.userId)
            try await device.withdrawImmediately()
        }
    }

    @Test("WITHDRAW-1: a withdrawal whose answers all got lost is done when it is asked for again")
    func lostWithdrawal() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let wiretap = Wiretap()
            let device = server.device(MemoryStorage(), wiretap.environment())
            try await device.start()
            _ = try await device.logIn(with: .guest)
            wiretap.loseNextAnswers(3)
            #expect(await failure { try await device.withdraw() }?.code == .socketResponseTimeout)
            try await device.withdraw()
            #expect(device.state == .signedOut(.sessionEnded(SessionNotice(reason: .withdrawn))))
        }
    }

    @Test(
        "BAN-2, LOGIN-10: a ban reaches a live client by its heartbeat, and every login tells it",
        arguments: Engine.ofDoors)
    func ban(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let storage = MemoryStorage()
            let device = server.device("alice", storage)
            try await device.start()
            let member = try await device.logIn(with: .google).member
            try await server.run(SetBanTemplate(code: 1, name: "x", texts: ["en": "No."]))
            _ = try await server.run(BanMembers([member.userId], until: nil, template: 1), reason: "x")
            let error = try await failure { try await device.sendHeartbeat() }.unwrapped()
            #expect(error.code == .authInvalidGatehouseToken)
            let ban = try error.ban.unwrapped()
            #expect(ban.message == "No.")
            #expect(
                device.state
                    == .signedOut(.sessionEnded(SessionNotice(reason: .banned, message: "No.", ban: ban))))
            #expect(device.standing?.reason == .banned)
            let login = await failure { try await device.logIn(with: .google) }
            #expect(login?.code == .bannedMember)
            #expect(login?.ban == ban)
            #expect(login?.standing?.actions == [.contactSupport])

            try await device.start()
            let last = await failure { try await device.logInWithLastProvider() }
            #expect(last?.code == .bannedMember)
            #expect(last?.ban == ban)
            #expect(device.lastProvider == .google)
            _ = try await server.run(ReleaseBans(users: [member.userId]), reason: "x")
            #expect(try await device.logIn(with: .google).member.userId == member.userId)
            #expect(device.standing?.isPlayable == true)
        }
    }

    @Test("BAN-5: a kick-out reaches a live client with its message")
    func kickOut() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let device = server.device("alice")
            try await device.start()
            let member = try await device.logIn(with: .guest).member
            try await server.run(KickOut(user: member.userId, message: ["en": "Update!"]))
            _ = await failure { try await device.sendHeartbeat() }
            #expect(
                device.state
                    == .signedOut(.sessionEnded(SessionNotice(reason: .kickedOut, message: "Update!"))))
            #expect(try await device.logIn(with: .guest).member.userId == member.userId)
        }
    }

    @Test(
        "SES-11: a player logs a lost phone out from the tablet, and then all other devices",
        arguments: Engine.ofDoors)
    func devices(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let devices = [server.device("alice"), server.device("alice"), server.device("alice")]
            for device in devices {
                try await device.start()
                _ = try await device.logIn(with: .google)
            }
            let (phone, tablet, console) = (devices[0], devices[1], devices[2])
            let list = try await tablet.fetchSessions()
            #expect(list.sessions.map(\.isCurrent) == [false, true, false])
            let token = try await phone.validAccessToken()
            let lost = try list.sessions.last.unwrapped()
            try await tablet.endSession(lost.sessionId)
            #expect(try await server.check(token).status == 401)
            #expect(await failure { try await phone.sendHeartbeat() }?.reason == .endedElsewhere)
            let text = "You have logged this device out on another one. Please log in again."
            #expect(phone.state == .signedOut(.sessionEnded(SessionNotice(reason: .endedElsewhere, message: text))))
            #expect(await failure { try await phone.logInWithLastProvider() }?.code == .authTokenLoginInvalidTokenInfo)
            #expect(await failure { try await tablet.endSession(lost.sessionId) }?.reason == .sessionUnknown)
            let own = list.sessions[1].sessionId
            #expect(await failure { try await tablet.endSession(own) }?.reason == .ownSession)
            #expect(try await phone.logIn(with: .google).member.userId == tablet.userID)
            try await phone.endOtherSessions()
            for device in [tablet, console] {
                #expect(await failure { try await device.sendHeartbeat() }?.reason == .endedElsewhere)
            }
            #expect(try await phone.fetchSessions().sessions.map(\.isCurrent) == [true])
        }
    }

    @Test(
        "LOGIN-6: a login while logged in is refused, unless the credential replaces it", .timeLimit(.minutes(5)),
        arguments: Engine.ofDoors)
    func replace(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let device = server.device("alice")
            try await device.start()
            let first = try await device.logIn(with: .google)
            let good = try server.credential(.apple, "bob")
            #expect(await failure { try await device.logIn(with: good) }?.reason == .alreadyLoggedIn)
            var wrong = good
            wrong.idToken = "a.b.c"
            let broken = wrong
            #expect(
                await failure { try await device.logIn(with: broken, replacing: true) }?.code == .authIDPLoginFailed)
            // The old login has not changed.
            #expect(try await device.fetchMember().userId == first.member.userId)
            let token = first.session.accessToken
            let second = try await device.logIn(with: good, replacing: true)
            #expect(second.member.userId != first.member.userId)
            #expect(try await device.fetchMember().userId == second.member.userId)
            // The device ends the former session beside the game's calls.
            while try await server.check(token).status == 200 { await Task.yield() }
            #expect(try await server.check(token).status == 401)
        }
    }
}
