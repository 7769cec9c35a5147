import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `signing_keys`, `revoked_signing_keys` and `vault_check`.
@Suite struct KeyQueryTests {
    private static func insert(_ id: String, activeAt: Int64, app: AppID = Tables.app, in tx: Transaction) throws {
        let key = KeyQueries.SealedKey(id: id, sealed: Tables.bytes, createdAt: .min, activeAt: activeAt)
        try KeyQueries.insert(key, app: app, in: tx)
    }

    private static func ids(of app: AppID = Tables.app, in tx: Reader) throws -> [String] {
        try KeyQueries.keys(of: app, in: tx).map(\.id)
    }

    @Test("Keys are read back in the order in which they begin to sign", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (id, activeAt) in [("late", .max), ("b", 5), (Tables.text, 5)] as [(String, Int64)] {
                try Self.insert(id, activeAt: activeAt, in: tx)
            }
            try Self.insert("late", activeAt: 0, app: Tables.otherApp, in: tx)
            #expect(try Self.ids(in: tx) == [Tables.text, "b", "late"])
            let late = try #require(try KeyQueries.keys(of: Tables.app, in: tx).last)
            #expect(late.sealed == Tables.bytes && late.createdAt == .min && late.activeAt == .max)
        }
    }

    @Test("All keys but one are revoked and deleted, in one app", arguments: Engine.available)
    func revoke(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] {
                for id in ["b", "a", "kept"] { try Self.insert(id, activeAt: 0, app: app, in: tx) }
            }
            try KeyQueries.noteRevoked(of: Tables.app, except: "kept", at: Tables.moment, in: tx)
            #expect(try KeyQueries.deleteAll(of: Tables.app, except: "kept", in: tx) == 2)
            #expect(try Self.ids(in: tx) == ["kept"])
            #expect(try KeyQueries.revokedKeys(of: Tables.app, in: tx) == ["a", "b"])
            #expect(try Self.ids(of: Tables.otherApp, in: tx).count == 3)
            #expect(try KeyQueries.revokedKeys(of: Tables.otherApp, in: tx).isEmpty)
        }
    }

    @Test("The first process that writes the vault's check has written it", arguments: Engine.available)
    func vaultCheck(engine: Engine) async throws {
        try await Tables.transact(engine) { tx throws in
            #expect(try KeyQueries.vaultCheck(in: tx) == nil)
            #expect(try KeyQueries.insertVaultCheck(Tables.bytes, in: tx))
            #expect(try !KeyQueries.insertVaultCheck([1], in: tx))
            #expect(try KeyQueries.vaultCheck(in: tx) == Tables.bytes)
        }
    }
}
