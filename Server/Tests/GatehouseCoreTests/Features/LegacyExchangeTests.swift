import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The exchange of what another system has left on a device for the player's account.
@Suite struct LegacyExchangeTests {
    @Test(
        "A guest of the old system is this device's guest from now on, with the account that was imported",
        arguments: Engine.available)
    func guest(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let user = try await old.add("p1")
            let player = try await old.migrate(old.token("p1"))
            #expect(player.user == user && player.login.provider == .guest)
            #expect(player.login.migrated == LegacyMigration(source: "old", legacyId: "p1", first: true))
            #expect(try await player.isLoggedIn)
            #expect(try await old.core.history(of: user) == [.legacyClaimed])
            #expect(try await old.core.ledger(of: user).last?.details == ["source": "old", "idp": "guest"])
            let claimed = try await old.member("p1")
            #expect(claimed?.claimedKey == player.device.key && claimed?.claimedAt == old.core.clock.now)
            // From now on the device's key alone is the player's.
            let guest = try await old.core.guest("phone")
            #expect(guest.user == user && guest.login.migrated == nil)
            // The same device may ask again, with another token.
            let again = try await old.migrate(old.token("p1"))
            #expect(again.user == user && again.login.migrated?.first == false)
            #expect(try await old.core.history(of: user) == [.legacyClaimed])
            try await old.core.expectInvariants()
        }
    }

    @Test(
        "A second device is refused, and where the source lets players move, the first one's sessions end",
        arguments: Engine.available)
    func second(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            try await old.add("p1")
            let first = try await old.migrate(old.token("p1"))
            #expect(await old.reason(try old.token("p1"), on: "tablet") == .legacyClaimed)
            try await old.set { $0.secondClaims = .move }
            let second = try await old.migrate(old.token("p1"), on: "tablet")
            #expect(second.user == first.user && second.login.migrated?.first == false)
            #expect(await first.sessionEnd == .transferred)
            #expect(try await second.isLoggedIn)
            #expect(try await old.core.guest("phone").user != first.user)
            try await old.core.expectInvariants()
        }
    }

    @Test("A device that has given its player away by a transfer does not get it back", arguments: Engine.available)
    func transferred(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.secondClaims = .move }) { old in
            try await old.add("p1")
            let first = try await old.migrate(old.token("p1"))
            let account = try await first.run(IssueTransferAccount())
            let second = try await old.core.device("tablet").redeem(account)
            #expect(second.member.userId == first.user)
            #expect(await old.reason(try old.token("p1")) == .legacyClaimed)
        }
    }

    @Test("A released player may be claimed by another device once more", arguments: Engine.available)
    func released(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let user = try await old.add("p1")
            let release = ReleaseLegacyMember(source: OldSystem.name, legacyID: "p1")
            #expect(try await old.core.operator().run(release) == nil)
            let first = try await old.migrate(old.token("p1"))
            #expect(try await old.core.operator().run(release) == user)
            let second = try await old.migrate(old.token("p1"), on: "tablet")
            #expect(second.user == user && second.login.migrated?.first == true)
            #expect(await first.sessionEnd == .transferred)
            #expect(await old.reason(try old.token("p1")) == .legacyClaimed)
            #expect(try await old.core.history(of: user) == [.legacyClaimed, .legacyReleased, .legacyClaimed])
            let unknown = ReleaseLegacyMember(source: OldSystem.name, legacyID: "p2")
            #expect(await code { try await old.core.operator().run(unknown) } == .invalidParameter)
        }
    }

    @Test(
        "A player with an identity gets a session under it, if the token names it, and once",
        arguments: Engine.available)
    func identities(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.providers = ["oidc.naver": .naver] }) { old in
            let user = try await old.add("p1", identities: [.naver("alice")])
            let refused = await refusal { try await old.migrate(old.token("p1")) }
            #expect(refused?.reason == .legacyProviderRequired && refused?.details.providers == [.naver])
            #expect(await old.reason(try old.token("p1", naver: "bob")) == .legacyProviderRequired)
            let player = try await old.migrate(old.token("p1", naver: "alice"))
            #expect(player.user == user && player.login.provider == .naver)
            #expect(try await old.core.ledger(of: user).last?.details == ["source": "old", "idp": "naver"])
            #expect(await old.reason(try old.token("p1", naver: "alice"), on: "tablet") == .legacyClaimed)
            // The provider brings the player on every other device.
            #expect(try await old.core.player("alice", on: "tablet").user == user)
            #expect(try await old.migrate(old.token("p1", naver: "alice")).user == user)
            try await old.core.expectInvariants()
        }
    }

    @Test(
        "Of a member whose file has lost identities, a token brings Google's, where nobody has it",
        arguments: Engine.available)
    func lost(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let google = ProviderConfiguration(kind: .google, clientIds: ["client"])
            try await old.core.operator().run(SaveIdentityProvider(provider: .google, configuration: google))
            let token = { (player: String, subject: String) in
                let firebase: JSONValue = [
                    "sign_in_provider": "google.com", "identities": ["google.com": [.string(subject)]],
                ]
                return try old.token(player, claims: ["firebase": firebase])
            }
            let user = try await old.add("p1") { $0.hasLostIdentities = true }
            let player = try await old.migrate(token("p1", "113456789"))
            #expect(player.user == user && player.login.provider == .google)
            #expect(try await old.core.history(of: user) == [.mappingAdded, .legacyClaimed])
            #expect(try await old.member("p1")?.hasLostIdentities == false)
            // Another's identity, and one of another form: the member stays a guest.
            try await old.add("p2") { $0.hasLostIdentities = true }
            #expect(try await old.migrate(token("p2", "113456789"), on: "two").login.provider == .guest)
            try await old.add("p3") { $0.hasLostIdentities = true }
            #expect(try await old.migrate(token("p3", "g113"), on: "three").login.provider == .guest)
            // A member whose file has lost none gets none.
            try await old.add("p4")
            #expect(try await old.migrate(token("p4", "99"), on: "four").login.provider == .guest)
            try await old.core.expectInvariants()
        }
    }

    @Test(
        "A player who was not imported becomes a guest with the legacy id, unless the source refuses it",
        arguments: Engine.available)
    func unknown(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let player = try await old.migrate(old.token("p1"))
            #expect(player.login.provider == .guest && player.login.migrated?.first == true)
            #expect(try await old.core.history(of: player.user) == [.memberCreated, .legacyClaimed])
            #expect(try await old.member("p1")?.user == player.user)
            #expect(await old.reason(try old.token("p1"), on: "tablet") == .legacyClaimed)
            try await old.set { $0.unknownPlayers = .refuse }
            #expect(await old.reason(try old.token("p2"), on: "tablet") == .legacyUnknown)
            #expect(try await old.migrate(old.token("p1")).user == player.user)
        }
    }

    @Test("A guest on the device is kept, unless the caller lets a new one go", arguments: Engine.available)
    func guestExists(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let user = try await old.add("p1")
            let guest = try await old.core.guest("phone")
            #expect(await old.reason(try old.token("p1")) == .legacyGuestExists)
            #expect(await old.reason(try old.token("new")) == .legacyGuestExists)
            #expect(try await guest.isLoggedIn)
            old.core.clock.advance(days: 30)
            let player = try await old.migrate(old.token("p1"), replacing: true)
            #expect(player.user == user)
            #expect(await guest.sessionEnd == .transferred)
            #expect(try await old.core.member(guest.user).status == .missing)
            // An operator can bring the guest back, which takes the device from the player.
            try await old.core.operator().run(RestoreMember(user: guest.user, provider: nil))
            #expect(try await old.core.guest("phone").user == guest.user)
            try await old.core.expectInvariants()
        }
    }

    @Test("No guest goes that is older, banned, or has come from the old system itself", arguments: Engine.available)
    func keptGuests(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            try await old.add("p1")
            _ = try await old.core.guest("old")
            let banned = try await old.core.guest("banned")
            try await old.core.ban([banned.user])
            try await old.migrate(old.token("p2"), on: "came")
            #expect(await old.reason(try old.token("p1"), on: "banned", replacing: true) == .legacyGuestExists)
            #expect(await old.reason(try old.token("p1"), on: "came", replacing: true) == .legacyGuestExists)
            old.core.clock.advance(days: 31)
            #expect(await old.reason(try old.token("p1"), on: "old", replacing: true) == .legacyGuestExists)
            // A device whose player has a provider has no guest to lose.
            let user = try await old.core.player("alice", on: "tablet").user
            #expect(try await old.migrate(old.token("p1"), on: "tablet").user != user)
        }
    }

    @Test(
        "A banned player is told of the ban, and one who has withdrawn comes no more, by a new file neither",
        arguments: Engine.available)
    func gone(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let banned = try await old.add("p1")
            try await old.core.ban([banned])
            let refused = await refusal { try await old.migrate(old.token("p1")) }
            #expect(refused?.code == .bannedMember && refused?.details.ban != nil)
            #expect(try await old.member("p1")?.claimedKey == nil)
            let id = "player-who-leaves"
            let left = try await old.migrate(old.token(id), on: "tablet")
            try await left.run(Withdraw())
            #expect(try await old.member(id) == nil)
            #expect(try await old.core.count("SELECT COUNT(*) FROM legacy_erased") == 1)
            #expect(await code { try await old.migrate(old.token(id), on: "tablet") } == .invalidMember)
            #expect(try await !old.core.database.dump().contains(id))
        }
    }

    @Test("A token from before the record's moment is refused", arguments: Engine.available)
    func validSince(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            let now = old.core.clock.now
            try await old.add("p1") { $0.validSince = now }
            let early = try old.token("p1", claims: ["auth_time": .integer(now.milliseconds / 1_000 - 1)])
            #expect(await old.reason(early) == .credentialRejected)
            #expect(await old.reason(try old.token("p1")) == nil)
        }
    }

    @Test(
        "A token from before its provider has reported a revoked consent is no new login with the provider",
        arguments: Engine.available)
    func revokedConsent(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.providers = ["oidc.naver": .naver] }) { old in
            let user = try await old.add("p1", identities: [.naver("alice")])
            let before = old.core.clock.now.milliseconds / 1_000
            old.core.clock.advance(seconds: 60)
            #expect(try await old.core.report(.consentRevoked, of: "alice") == .done)
            let firebase: JSONValue = ["sign_in_provider": "oidc.naver", "identities": ["oidc.naver": ["alice"]]]
            // It was issued just now, for a sign-in of a minute ago.
            let early = try old.token("p1", claims: ["firebase": firebase, "auth_time": .integer(before)])
            #expect(await old.reason(early) == .legacyProviderRequired)
            #expect(try await old.core.member(user).mappings.first?.revokedDate != nil)
            old.core.clock.advance(seconds: 1)
            #expect(try await old.migrate(old.token("p1", naver: "alice")).user == user)
            #expect(try await old.core.member(user).mappings.first?.revokedDate == nil)
        }
    }

    @Test(
        "An old system that is down, or answers nonsense, refuses nobody for good: the same call may be repeated",
        arguments: Engine.available)
    func outage(engine: Engine) async throws {
        let key = ProviderToken(FakeOldSystems.secret)
        try await OldSystem.open(engine, .gamebase, key: key) { old in
            let user = "AAAAAAAAAAAAAAAA"
            let credential = LegacyCredential(kind: .accessToken, value: ProviderToken("ticket-of-\(user)"), id: user)
            for (status, body) in [
                (503, "{}"), (503, "{}"), (200, "<html>"), (200, #"{"header":"#), (200, "{}"), (200, "[]"),
                (200, #"{"header":{"resultCode":"0"}}"#), (301, ""), (404, "{}"),
            ] {
                let down = OldSystem(
                    core: try old.core.restarted(
                        fetch: { _ in OutgoingResponse(status: status, body: Data(body.utf8)) }))
                let refused = await refusal { try await down.migrate(credential, once: "one-key") }
                #expect(refused?.code == .serverRemoteSystemError, "\(status) \(body)")
                #expect(refused?.reason == .providerUnavailable)
                #expect(refused?.status == 502 && refused?.details.retryAfterSeconds != nil)
                #expect(refused?.code.row?.mayRetry == true)
            }
            #expect(try await old.core.count("SELECT COUNT(*) FROM used_credentials") == 0)
            #expect(try await old.migrate(credential, once: "one-key").login.migrated?.legacyId == user)
        }
    }

    @Test("IDP-1: a token belongs to the first device that has used it", arguments: Engine.available)
    func replay(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.secondClaims = .move }) { old in
            try await old.add("p1")
            let token = try old.token("p1")
            let player = try await old.migrate(token)
            #expect(await old.reason(token, on: "thief") == .credentialRejected)
            #expect(await (try old.restarted()).reason(token, on: "thief") == .credentialRejected)
            #expect(try await old.migrate(token).user == player.user)
        }
    }

    @Test("A repeated call gets the first one's answer, even when its token has ended", arguments: Engine.available)
    func repeated(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            try await old.add("p1")
            let end = old.core.clock.in(seconds: 60) / 1_000
            let token = try old.token("p1", claims: ["exp": .integer(end)])
            let first = try await old.migrate(token, once: "key")
            old.core.clock.advance(seconds: 600)
            #expect(await old.reason(token) == .credentialExpired)
            let again = try await old.migrate(token, once: "key")
            #expect(again.login.migrated == first.login.migrated)
            #expect(again.login.session.refreshToken == first.login.session.refreshToken)
            #expect(try await old.core.history(of: first.user) == [.legacyClaimed])
        }
    }

    @Test("No token and no id is in a log, a refusal or the database", arguments: Engine.available)
    func secrets(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.bareIDs = .guests }) { old in
            let device = "7d1c0b3a-secret-device"
            try await old.add("p1", devices: [device])
            let credentials = [try old.token("p2"), LegacyCredential.device(device), .device(device + "-wrong")]
            var told = ""
            for (number, credential) in credentials.enumerated() {
                let refused = await refusal { try await old.migrate(credential, on: "device\(number)") }
                told += "\(String(describing: refused))"
            }
            told += "\(old.core.callLog.lines)" + (try await old.core.database.dump())
            for credential in credentials { #expect(!told.contains(credential.value.secretValue)) }
        }
    }
}
