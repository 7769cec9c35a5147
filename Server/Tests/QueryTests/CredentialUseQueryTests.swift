import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `used_credentials` and `provider_signals`, which remember what counts once.
@Suite struct CredentialUseQueryTests {
    private static func insert(
        _ hash: [UInt8], on device: [UInt8] = [9], until end: Int64 = 0, app: AppID = Tables.app, in tx: Draft
    ) throws {
        try CredentialUseQueries.insert(hash, on: device, until: Tables.moment + end, app: app, in: tx)
    }

    private static func device(_ hash: [UInt8], app: AppID = Tables.app, in tx: Reader) throws -> [UInt8]? {
        try CredentialUseQueries.device(of: hash, app: app, in: tx)
    }

    @Test("Credentials of one decision are read back with their devices, in their app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try Self.insert(Tables.bytes, on: Tables.bytes, in: draft)
                try Self.insert([1], on: [], in: draft)
                try Self.insert(Tables.bytes, app: Tables.otherApp, in: draft)
            }
            try await database.read { tx throws in
                #expect(try Self.device(Tables.bytes, in: tx) == Tables.bytes)
                #expect(try Self.device([1], in: tx) == [])
                #expect(try Self.device([1], app: Tables.otherApp, in: tx) == nil)
                #expect(try Self.device(Tables.bytes, app: Tables.otherApp, in: tx) == [9])
            }
        }
    }

    @Test("A second use violates the constraint that the rule knows", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        let error = await #expect(throws: StorageError.self) {
            try await Tables.transact(engine) { tx in
                try Self.insert([1], in: tx)
                try Self.insert([1], on: [2], in: tx)
            }
        }
        #expect(error?.violates(KnownCredentials.key) == true)
    }

    @Test("A provider's report counts once in its app", arguments: Engine.available)
    func signals(engine: Engine) async throws {
        try await Tables.transact(engine) { tx throws in
            let insert = { (app: AppID, seconds: Int64) in
                try SignalQueries.insert(Tables.bytes, app: app, at: Tables.moment + seconds, in: tx)
            }
            #expect(try insert(Tables.app, 2))
            #expect(try !insert(Tables.app, 3))
            #expect(try insert(Tables.otherApp, 1))
            #expect(try !insert(Tables.otherApp, 3))
        }
    }
}
