import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `forcing_tickets`.
@Suite struct TicketQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour
    private static let key = IdentityKey(provider: .google, namespace: "", subject: Tables.text)

    private static func id(_ seconds: Int64) -> String { Tables.id(at: Tables.moment + seconds) }

    private static func insert(
        _ seconds: Int64, of user: UserID = user, against mapped: UserID = neighbour, tokens: [UInt8]? = nil,
        app: AppID = Tables.app, in tx: Draft
    ) throws {
        let ticket = TicketRules.Ticket(
            id: id(seconds), session: SessionID(Tables.text), user: user, mappedUser: mapped,
            identity: VerifiedIdentity(key: key), expiresAt: Moment(milliseconds: .max), usedAt: nil)
        try TicketQueries.insert(ticket, secretHash: Tables.bytes, tokens: tokens, app: app, in: tx)
    }

    private static func isThere(_ seconds: Int64, app: AppID = Tables.app, in tx: Reader) throws -> Bool {
        try TicketQueries.ticket(id(seconds), app: app, in: tx) != nil
    }

    @Test("Tickets of one decision are read back as they were inserted, in their app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try Self.insert(1, tokens: Tables.bytes, in: draft)
                try Self.insert(2, in: draft)
            }
            try await database.read { tx in
                let found = try #require(try TicketQueries.ticket(Self.id(1), app: Tables.app, in: tx))
                #expect(found.ticket.session == SessionID(Tables.text) && found.ticket.user == Self.user)
                #expect(found.ticket.mappedUser == Self.neighbour && found.ticket.identity.key == Self.key)
                #expect(found.ticket.expiresAt == Moment(milliseconds: .max) && found.ticket.usedAt == nil)
                #expect(found.secretHash == Tables.bytes && found.tokens == Tables.bytes)
                let plain = try #require(try TicketQueries.ticket(Self.id(2), app: Tables.app, in: tx))
                #expect(plain.tokens == nil)
                #expect(try !Self.isThere(1, app: Tables.otherApp, in: tx))
            }
        }
    }

    @Test("A conflict is found by who wanted the identity, and when", arguments: Engine.available)
    func conflict(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for seconds in [1, 2] as [Int64] { try Self.insert(seconds, in: tx) }
            try Self.insert(3, app: Tables.otherApp, in: tx)
            func find(_ seconds: Int64, _ user: UserID = Self.user, _ provider: Provider = .google) throws -> UserID? {
                try TicketQueries.conflict(
                    of: user, with: provider, app: Tables.app, at: Tables.moment + seconds, in: tx)?.holder
            }
            #expect(try find(1) == Self.neighbour && find(2) == Self.neighbour && find(61) == Self.neighbour)
            #expect(try find(0) == nil && find(63) == nil)
            #expect(try find(1, Self.neighbour) == nil && find(1, Self.user, .line) == nil)
        }
    }

    @Test("A ticket is spent once, and loses its tokens", arguments: Engine.available)
    func spend(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for seconds in [1, 2] as [Int64] { try Self.insert(seconds, tokens: Tables.bytes, in: tx) }
            #expect(try TicketQueries.spend(Self.id(1), app: Tables.app, at: Tables.moment, in: tx))
            #expect(try !TicketQueries.spend(Self.id(1), app: Tables.app, at: Tables.moment + 1, in: tx))
            let spent = try TicketQueries.ticket(Self.id(1), app: Tables.app, in: tx)
            #expect(spent?.ticket.usedAt == Tables.moment && spent?.tokens == nil)
            let other = try TicketQueries.ticket(Self.id(2), app: Tables.app, in: tx)
            #expect(other?.ticket.usedAt == nil && other?.tokens == Tables.bytes)
        }
    }

    @Test("A member's tickets go on both sides, in one app", arguments: Engine.available)
    func deleteAll(engine: Engine) async throws {
        let third = UserID("third")
        try await Tables.transact(engine) { tx in
            try Self.insert(1, in: tx)
            try Self.insert(2, of: Self.neighbour, against: Self.user, in: tx)
            try Self.insert(3, of: third, in: tx)
            try Self.insert(4, app: Tables.otherApp, in: tx)
            try TicketQueries.deleteAll(about: Self.user, app: Tables.app, in: tx)
            #expect(try !Self.isThere(1, in: tx) && !Self.isThere(2, in: tx))
            #expect(try Self.isThere(3, in: tx))
            #expect(try Self.isThere(4, app: Tables.otherApp, in: tx))
        }
    }
}
