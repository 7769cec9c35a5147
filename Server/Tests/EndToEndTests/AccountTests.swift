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

    @Test(
        "BAN-2, LOGIN-10: a ban reaches a live client by its heartbeat, and every login tells it",
        arguments: Engine.ofDoors)
    func ban(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            let storage = MemoryStorage()
            let device = server.device("alice", storage)
            try await device.start()
            let member = try await device.logIn(with: .google).member
            try await server.run(AddBanTemplate(code: 1, name: "x", texts: ["en": "No."]))
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
}
