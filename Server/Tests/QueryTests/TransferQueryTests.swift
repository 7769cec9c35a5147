import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `transfer_accounts`.
@Suite struct TransferQueryTests {
    private static let user = MemberQueryTests.user
    private static let neighbour = MemberQueryTests.neighbour
    private static let refusal = Refusal(.invalidParameter, "taken")

    private static func insert(
        _ id: String, of user: UserID = user, app: AppID = Tables.app, isSingleUse: Bool = true,
        until end: Moment? = nil, in tx: Draft
    ) throws {
        let account = TransferRules.Stored(
            id: id, user: user, passwordHash: Tables.bytes, issued: .manual, isSingleUse: isSingleUse,
            issuedAt: Tables.moment, expiresAt: end, usedAt: nil, failedAttempts: 0, blockedUntil: nil)
        try TransferQueries.insert(account, app: app, ifTaken: refusal, in: tx)
    }

    private static func found(_ id: String, app: AppID = Tables.app, in tx: Reader) throws -> TransferRules.Stored? {
        try TransferQueries.account(id, app: app, in: tx)
    }

    /// The same id in both apps, and another member's account.
    private static func insertThree(in tx: Draft) throws {
        try insert(Tables.text, until: Moment(milliseconds: .max), in: tx)
        try insert(Tables.text, app: Tables.otherApp, in: tx)
        try insert("neighbour", of: neighbour, isSingleUse: false, in: tx)
    }

    @Test("Accounts of one decision are read back by id and by member", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in try Self.insertThree(in: draft) }
            try await database.read { tx in
                let found = try #require(try Self.found(Tables.text, in: tx))
                #expect(found.user == Self.user && found.passwordHash == Tables.bytes && found.issued == .manual)
                #expect(found.isSingleUse && found.issuedAt == Tables.moment && found.usedAt == nil)
                #expect(found.expiresAt == Moment(milliseconds: .max) && found.blockedUntil == nil)
                let other = try #require(try TransferQueries.account(of: Self.neighbour, app: Tables.app, in: tx))
                #expect(other.id == "neighbour" && !other.isSingleUse && other.expiresAt == nil)
                #expect(try TransferQueries.account(of: Self.neighbour, app: Tables.otherApp, in: tx) == nil)
            }
        }
    }

    @Test("An id that is taken is the caller's refusal", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        await #expect(throws: Self.refusal) {
            try await Tables.transact(engine) { tx in
                try Self.insertThree(in: tx)
                try Self.insert(Tables.text, of: UserID("third"), in: tx)
            }
        }
    }

    @Test("A member has one account: a second is a conflict", arguments: Engine.available)
    func onePerMember(engine: Engine) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insertThree(in: tx)
                try Self.insert("second", in: tx)
            }
        }
    }

    @Test("Failures, a block and success are of one account", arguments: Engine.available)
    func attempts(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertThree(in: tx)
            #expect(try TransferQueries.take(Tables.text, app: Tables.app, in: tx))
            #expect(try !TransferQueries.take("neighbour", app: Tables.otherApp, in: tx))
            let end = Moment(milliseconds: .max)
            try TransferQueries.count(3, blockedUntil: end, of: Tables.text, app: Tables.app, in: tx)
            let blocked = try Self.found(Tables.text, in: tx)
            #expect(blocked?.failedAttempts == 3 && blocked?.blockedUntil == end && blocked?.usedAt == nil)
            #expect(try tx.count("transfer_accounts WHERE failed_attempts = 0") == 2)
            try TransferQueries.succeed(Tables.text, app: Tables.app, at: Tables.moment + 1, in: tx)
            let used = try Self.found(Tables.text, in: tx)
            #expect(used?.failedAttempts == 0 && used?.blockedUntil == nil && used?.usedAt == Tables.moment + 1)
            #expect(try tx.count("transfer_accounts WHERE used_at IS NULL") == 2)
        }
    }

    @Test("An account is deleted of one member in one app", arguments: Engine.available)
    func delete(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertThree(in: tx)
            try TransferQueries.delete(of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.found(Tables.text, in: tx) == nil)
            #expect(try tx.count("transfer_accounts") == 2)
        }
    }
}
