import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `transfer_keys`.
@Suite struct TransferKeyQueryTests {
    private static let user = MemberQueryTests.user

    private static func insert(
        _ hash: [UInt8], of user: UserID = user, app: AppID = Tables.app, until end: Int64 = 100, in tx: Draft
    ) throws {
        try TransferKeyQueries.insert(
            hash, user: user, app: app, at: Tables.moment, until: Tables.moment + end, in: tx)
    }

    private static func found(
        _ hash: [UInt8] = Tables.bytes, app: AppID = Tables.app, in tx: Reader
    ) throws -> TransferKeyRules.Stored? {
        try TransferKeyQueries.key(hash, app: app, in: tx)
    }

    /// The same key in both apps, and another member's.
    private static func insertThree(in tx: Draft) throws {
        for app in [Tables.app, Tables.otherApp] { try insert(Tables.bytes, app: app, in: tx) }
        try insert([1], of: MemberQueryTests.neighbour, in: tx)
    }

    @Test("Keys of one decision are read back as they were inserted, in their app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in try Self.insertThree(in: draft) }
            try await database.read { tx in
                let key = try #require(try Self.found(in: tx))
                #expect(key.user == Self.user && key.expiresAt == Tables.moment + 100 && key.usedAt == nil)
                #expect(try Self.found([1], in: tx)?.user == MemberQueryTests.neighbour)
                #expect(try Self.found([1], app: Tables.otherApp, in: tx) == nil)
            }
        }
    }

    @Test("A key that is taken is a conflict", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try Self.insertThree(in: tx)
                try Self.insert([1], in: tx)
            }
        }
    }

    @Test("A key is taken and spent in its app", arguments: Engine.available)
    func spend(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertThree(in: tx)
            #expect(try TransferKeyQueries.take(Tables.bytes, app: Tables.app, in: tx))
            #expect(try !TransferKeyQueries.take([1], app: Tables.otherApp, in: tx))
            try TransferKeyQueries.spend(Tables.bytes, app: Tables.app, at: Moment(milliseconds: .max), in: tx)
            #expect(try Self.found(in: tx)?.usedAt == Moment(milliseconds: .max))
            #expect(try tx.count("transfer_keys WHERE used_at IS NULL") == 2)
        }
    }

    @Test("Keys are deleted of one member in one app", arguments: Engine.available)
    func deleteAll(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertThree(in: tx)
            try TransferKeyQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.found(in: tx) == nil)
            #expect(try tx.count("transfer_keys") == 2)
        }
    }

    @Test("The key that is still good is deleted of one member in one app", arguments: Engine.available)
    func deleteOutstanding(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insertThree(in: tx)
            try Self.insert([2], in: tx)
            try TransferKeyQueries.spend(Tables.bytes, app: Tables.app, at: Tables.moment, in: tx)
            try TransferKeyQueries.deleteOutstanding(of: Self.user, app: Tables.app, in: tx)
            #expect(try Self.found([2], in: tx) == nil)
            #expect(try Self.found(in: tx) != nil)
            #expect(try tx.count("transfer_keys") == 3)
        }
    }
}
