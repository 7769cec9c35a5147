import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Players of another system whom the game's own server brings to their devices.
@Suite struct MigrationConfirmationTests {
    private static func open(
        _ engine: Engine = .sqlite, _ test: @escaping @Sendable (OldSystem) async throws -> Void
    ) async throws {
        try await OldSystem.open(engine, .firebase, { $0.confirmation = .server }, test)
    }

    /// Why a confirmation is refused, and the parameter that is named.
    private static func refused(_ call: () async throws -> ConfirmedMigration) async -> [String?] {
        let refused = await refusal { try await call() }
        return [refused.map { "\($0.code.rawValue)" }, refused?.reason?.rawValue, refused?.details.parameter]
    }

    @Test(
        "What the game's server says of a player holds at the device's next login as a guest, once",
        arguments: Engine.available)
    func guest(engine: Engine) async throws {
        try await Self.open(engine) { old in
            let user = try await old.add("p1")
            let ticket = try await old.ticket()
            #expect(ticket.expirationDate == old.core.clock.in(seconds: 300))
            let confirmed = try await old.confirm("p1", ticket.ticket)
            #expect(confirmed == ConfirmedMigration(userId: user, legacyId: "p1", first: true))
            #expect(try await old.core.guest("phone").user == user)
            #expect(try await old.core.history(of: user) == [.legacyClaimed])
            #expect(try await old.member("p1")?.claimedKey == old.core.device("phone").key)
            // Once more for the same player, and not for another one.
            #expect(try await old.confirm("p1", ticket.ticket).first == false)
            #expect(try await old.confirm("p1", ticket.ticket, once: "a-key-of-it").userId == user)
            try await old.add("p2")
            #expect(
                await Self.refused { try await old.confirm("p2", ticket.ticket) } == ["3", "credential_rejected", nil])
            let second = try await old.ticket(on: "tablet").ticket
            #expect(await refusal { try await old.confirm("p1", second) }?.reason == .legacyClaimed)
            #expect(await old.reason(try old.token("p1")) == .legacyServerRequired)
            #expect(try await old.core.history(of: user) == [.legacyClaimed])
            try await old.core.expectInvariants()
        }
    }

    @Test("A ticket is good for five minutes, for its app, and as it is")
    func tickets() async throws {
        try await Self.open { old in
            try await old.add("p1")
            let ticket = try await old.ticket().ticket
            let text = ticket.secretValue
            let wrong = [
                "", "ticket", String(text.dropLast(2)), text + "AA", String(repeating: "A", count: 2_000),
                (text.hasPrefix("B") ? "C" : "B") + text.dropFirst(),
            ]
            for text in wrong {
                #expect(
                    await Self.refused { try await old.confirm("p1", DeviceTicket(text)) } == [
                        "3", nil, "deviceTicket",
                    ])
            }
            let vault = old.core.services.vault
            let other = try MigrationTickets.issue(
                to: old.core.device("phone").key, app: AppID("other"), at: old.core.clock.now, vault: vault)
            #expect(
                await Self.refused { try await old.confirm("p1", other.ticket) } == ["3", nil, "deviceTicket"])
            for id in ["", "a\u{7}b", String(repeating: "i", count: 257)] {
                #expect(await Self.refused { try await old.confirm(id, ticket) } == ["3", nil, "legacyId"])
            }
            old.core.clock.advance(seconds: 299)
            try await old.confirm("p1", ticket)
            old.core.clock.advance(seconds: 1)
            #expect(
                await Self.refused { try await old.confirm("p1", ticket) } == [
                    "3", "credential_expired", "deviceTicket",
                ])
            #expect(!"\(old.core.callLog.lines)".contains(text))
        }
    }

    @Test("A player who was not imported becomes a guest, unless the source refuses it", arguments: Engine.available)
    func unknown(engine: Engine) async throws {
        try await Self.open(engine) { old in
            let confirmed = try await old.confirm("new", old.ticket().ticket, once: "key")
            #expect(confirmed.first)
            #expect(try await old.newMembers() == ["guest": [1]])
            #expect(try await old.core.guest("phone").user == confirmed.userId)
            // Neither the login nor another player who was imported before is a new member.
            try await old.add("imported")
            try await old.confirm("imported", old.ticket(on: "pad").ticket)
            #expect(try await old.newMembers() == ["guest": [1]])
            #expect(try await old.core.history(of: confirmed.userId) == [.memberImported, .legacyClaimed])
            try await old.set { ($0.confirmation, $0.unknownPlayers) = (.server, .refuse) }
            let ticket = try await old.ticket(on: "tablet").ticket
            #expect(await refusal { try await old.confirm("newer", ticket) }?.reason == .legacyUnknown)
            try await old.core.expectInvariants()
        }
    }

    @Test("Who has a provider, a ban, or another guest on the device is told so, and nothing is claimed")
    func refusals() async throws {
        try await Self.open { old in
            try await old.add("named", identities: [.naver("alice")])
            let named = await refusal { try await old.confirm("named", old.ticket().ticket) }
            #expect(named?.reason == .legacyProviderRequired && named?.details.providers == [.naver])
            let banned = try await old.add("banned")
            try await old.core.ban([banned])
            #expect(await code { try await old.confirm("banned", old.ticket().ticket) } == .bannedMember)
            let user = try await old.add("p1")
            let guest = try await old.core.guest("phone")
            #expect(
                await refusal { try await old.confirm("p1", old.ticket().ticket) }?.reason == .legacyGuestExists)
            for id in ["named", "banned", "p1"] { #expect(try await old.member(id)?.claimedKey == nil) }
            #expect(try await old.confirm("p1", old.ticket().ticket, replacing: true).userId == user)
            #expect(await guest.sessionEnd == .transferred)
            #expect(try await old.core.guest("phone").user == user)
            try await old.core.expectInvariants()
        }
    }

    @Test("A source that doesn't take the word of a game's server, and one that is closed, bring nobody so")
    func sources() async throws {
        try await OldSystem.open { old in
            try await old.add("p1")
            let ticket = try await old.ticket().ticket
            #expect(await Self.refused { try await old.confirm("p1", ticket) } == ["3", nil, "source"])
            try await old.set { $0.confirmation = .server }
            try await old.core.operator().run(CloseLegacySource(name: OldSystem.name))
            #expect(await refusal { try await old.confirm("p1", ticket) }?.reason == .legacyClosed)
        }
    }

    @Test("A game server asks who has come, by the ids there or here", arguments: Engine.available)
    func lookup(engine: Engine) async throws {
        try await Self.open(engine) { old in
            let (one, two) = (try await old.add("p1"), try await old.add("p2"))
            try await old.confirm("p2", old.ticket().ticket)
            let now = old.core.clock.now.milliseconds
            func ask(_ ids: [String]? = nil, _ users: [UserID]? = nil) async throws -> Set<MigrationLookup.Entry> {
                let request = MigrationLookupRequest(source: OldSystem.name, legacyIds: ids, userIds: users)
                return Set(try await old.core.gameServer([.profile]).run(LookUpMigrations(request: request)).members)
            }
            let entries: Set<MigrationLookup.Entry> = [
                .init(legacyId: "p1", userId: one, claimDate: nil), .init(legacyId: "p2", userId: two, claimDate: now),
            ]
            #expect(try await ask(["p1", "p2", "p3"]) == entries)
            #expect(try await ask(nil, [one, two, UserID("NOBODY")]) == entries)
            #expect(try await ask(["p3"]).isEmpty)
            let many = (0...300).map { "p\($0)" }
            #expect(try await ask(Array(many.dropLast())) == entries)
            #expect(await code { try await ask(many) } == .invalidParameter)
            #expect(await code { try await ask(nil, many.map { UserID($0) }) } == .invalidParameter)
            #expect(await code { try await ask() } == .invalidParameter)
            #expect(await code { try await ask(["p1"], [one]) } == .invalidParameter)
        }
    }
}
