import FakeProviders
import Foundation
import Gatehouse
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import TestDatabases
import Testing

/// A player who comes from another system, with the SDK on two devices against one server.
@Suite(.timeLimit(.minutes(10))) struct MigrationTests {
    @Test(
        "A device that has a token of the old system gets its player by one call, and a second device does not",
        arguments: Engine.ofDoors)
    func migrate(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            var settings = LegacySettings()
            settings.project = FakeOldSystems.project
            settings.origin = server.idps.origin
            try await server.administration.run(
                SetLegacySource(name: "old", kind: .firebase, settings: settings), in: LiveServer.app)
            let token = { () in
                LegacyCredential(kind: .idToken, value: try server.idps.oldSystems.token(.firebase, for: "p1"))
            }
            let phone = server.device("alice")
            try await phone.start()
            let credential = try token()
            let login = try await phone.migrate(from: "old", credential: credential)
            #expect(login.migrated == LegacyMigration(source: "old", legacyId: "p1", first: true))
            #expect(login.provider == .guest && phone.userID == login.member.userId)
            #expect(try await server.check(phone.validAccessToken()).status == 200)
            let again = await failure { try await phone.migrate(from: "old", credential: credential) }
            #expect(again?.code == .authIDPLoginFailed && again?.details.reason == .alreadyLoggedIn)
            // From now on the device is the player's, without anything of the old system.
            try await phone.logOut()
            #expect(try await phone.logIn(with: .guest).member.userId == login.member.userId)

            let thief = server.device("bob")
            try await thief.start()
            let replayed = await failure { try await thief.migrate(from: "old", credential: credential) }
            #expect(replayed?.code == .authIDPLoginFailed && replayed?.details.reason == .credentialRejected)
            let second = await failure { try await thief.migrate(from: "old", credential: try token()) }
            #expect(second?.details.reason == .legacyClaimed)
            let guest = try await thief.logIn(with: .guest).member
            try await thief.logOut()
            let other = LegacyCredential(
                kind: .idToken, value: try server.idps.oldSystems.token(.firebase, for: "p2"))
            let kept = await failure { try await thief.migrate(from: "old", credential: other) }
            #expect(kept?.details.reason == .legacyGuestExists)
            let replaced = try await thief.migrate(from: "old", credential: other, replacingGuest: true)
            #expect(replaced.member.userId != guest.userId && replaced.migrated?.legacyId == "p2")
            let unknown = await failure { try await phone.migrate(from: "elsewhere", credential: other) }
            #expect(unknown != nil)
        }
    }

    @Test(
        "The game's own server brings a player to the device of a ticket, whose next login as a guest has the account",
        arguments: Engine.ofDoors)
    func confirm(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            var settings = LegacySettings()
            settings.project = FakeOldSystems.project
            settings.confirmation = .server
            try await server.administration.run(
                SetLegacySource(name: "old", kind: .firebase, settings: settings), in: LiveServer.app)
            let phone = server.device("alice")
            try await phone.start()
            let token = LegacyCredential(kind: .idToken, value: ProviderToken("token"))
            let refused = await failure { try await phone.migrate(from: "old", credential: token) }
            #expect(refused?.details.reason == .legacyServerRequired)
            let ticket = try await phone.fetchMigrationTicket().ticket
            let confirmation = MigrationConfirmation(source: "old", legacyId: "p1", deviceTicket: ticket)
            let answer = try await server.call(Endpoints.confirmMigration, confirmation)
            #expect(answer.status == 200)
            let confirmed = try JSONDecoder().decode(ConfirmedMigration.self, from: answer.body)
            #expect(confirmed.first && confirmed.legacyId == "p1")
            #expect(try await phone.logIn(with: .guest).member.userId == confirmed.userId)
            let asked = try await server.call(
                Endpoints.lookUpMigrations, MigrationLookupRequest(source: "old", userIds: [confirmed.userId]))
            let found = try JSONDecoder().decode(MigrationLookup.self, from: asked.body).members
            #expect(found.map(\.legacyId) == ["p1"] && found.first?.claimDate != nil)
            var other = confirmation
            other.legacyId = "p2"
            #expect(try await server.call(Endpoints.confirmMigration, other).status == 400)
        }
    }
}
