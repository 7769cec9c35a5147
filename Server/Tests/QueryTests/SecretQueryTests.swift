import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `app_secrets`.
@Suite struct SecretQueryTests {
    private static func insert(
        _ hash: [UInt8], hint: String? = nil, name: String? = nil, scopes: String? = nil, app: AppID = Tables.app,
        at seconds: Int64 = 0, in tx: Transaction
    ) throws {
        try SecretQueries.insert(
            hash: hash, hint: hint, name: name, scopes: scopes, app: app, at: Tables.moment + seconds, in: tx)
    }

    @Test("Keys are read back newest first, with their scopes, in their app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try Self.insert(
                Tables.bytes, hint: "gsk_JBB6…x9Qa", name: Tables.text, scopes: "check of-a-later-version", in: tx)
            try Self.insert([1], at: 1, in: tx)
            try Self.insert([2], app: Tables.otherApp, at: 2, in: tx)
            #expect(
                try SecretQueries.secrets(of: Tables.app, in: tx) == [
                    AppSecret(hash: [1], name: nil, scopes: .every, createdAt: Tables.moment + 1),
                    AppSecret(
                        hash: Tables.bytes, name: Tables.text, scopes: [.check], createdAt: Tables.moment,
                        hint: "gsk_JBB6…x9Qa"),
                ])
            #expect(try SecretQueries.newestDate(of: Tables.app, in: tx) == (Tables.moment + 1).milliseconds)
            #expect(try SecretQueries.newestDate(of: AppID("none"), in: tx) == nil)
        }
    }

    @Test("A key ends once, in its app, and its date stays", arguments: Engine.available)
    func revoke(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] { try Self.insert([1], app: app, in: tx) }
            let revoke = { () in try SecretQueries.revoke(hash: [1], app: Tables.app, at: Tables.moment, in: tx) }
            #expect(try revoke())
            #expect(try !revoke())
            #expect(try !SecretQueries.revoke(hash: [2], app: Tables.otherApp, at: Tables.moment, in: tx))
            #expect(try SecretQueries.secrets(of: Tables.app, in: tx).isEmpty)
            #expect(try SecretQueries.newestDate(of: Tables.app, in: tx) == Tables.moment.milliseconds)
            #expect(try SecretQueries.secrets(of: Tables.otherApp, in: tx).count == 1)
        }
    }

    @Test("A use is noted for one key of one app, and never moves back", arguments: Engine.available)
    func use(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] { try Self.insert([1], app: app, in: tx) }
            try Self.insert([2], at: 1, in: tx)
            for seconds in [10, 20, 5] as [Int64] {
                let address = ClientAddress(bytes: [192, 0, 2, UInt8(seconds)])
                try SecretQueries.noteUse(
                    hash: [1], app: Tables.app, from: address, at: Tables.moment + seconds, in: tx)
            }
            let secrets = try SecretQueries.secrets(of: Tables.app, in: tx)
            #expect(secrets.map(\.lastUsedAt) == [nil, Tables.moment + 20])
            #expect(secrets.map(\.lastUsedFrom) == [nil, "192.0.2.20"])
            let other = try SecretQueries.secrets(of: Tables.otherApp, in: tx)
            #expect(other.map(\.lastUsedAt) == [nil] && other.map(\.lastUsedFrom) == [nil])
            // A caller that is not known leaves no address of another one.
            try SecretQueries.noteUse(
                hash: [1], app: Tables.app, from: .unknown, at: Tables.moment + 30, in: tx)
            #expect(try SecretQueries.secrets(of: Tables.app, in: tx).map(\.lastUsedFrom) == [nil, nil])
        }
    }

    @Test("The address of the last use goes with the key, and no late note brings it back", arguments: Engine.available)
    func forgotten(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] { try Self.insert([1], app: app, in: tx) }
            let address = ClientAddress(bytes: [192, 0, 2, 1])
            for app in [Tables.app, Tables.otherApp] {
                try SecretQueries.noteUse(hash: [1], app: app, from: address, at: Tables.moment + 1, in: tx)
            }
            #expect(try tx.count("app_secrets WHERE last_used_from IS NOT NULL") == 2)
            #expect(try SecretQueries.revoke(hash: [1], app: Tables.app, at: Tables.moment + 2, in: tx))
            try SecretQueries.noteUse(hash: [1], app: Tables.app, from: address, at: Tables.moment + 3, in: tx)
            #expect(try tx.count("app_secrets WHERE last_used_from IS NOT NULL") == 1)
            #expect(try SecretQueries.secrets(of: Tables.otherApp, in: tx).map(\.lastUsedFrom) == ["192.0.2.1"])
        }
    }

    @Test("A key that the app has already is a duplicate", arguments: Engine.available)
    func duplicate(engine: Engine) async throws {
        await #expect(throws: StorageError.self) {
            try await Tables.transact(engine) { tx in
                try Self.insert([1], in: tx)
                try Self.insert([1], at: 1, in: tx)
            }
        }
    }
}
