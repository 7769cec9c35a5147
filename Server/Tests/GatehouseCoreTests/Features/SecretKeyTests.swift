import Crypto
import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// The secret keys of an app: what they are worth, and when they end.
@Suite struct SecretKeyTests {
    private func isValid(_ key: SecretKey, _ core: TestCore) async throws -> Bool {
        try await core.operator().run(CheckSecret(secret: key))
    }

    @Test("KEY-1: of an app's own keys two count at once, while game servers change over, and a third ends the oldest")
    func rotation() async throws {
        try await TestCore.open { core in
            let keys = [
                try await core.operator().run(CreateSecret()), try await core.operator().run(CreateSecret()),
            ]
            for key in keys { #expect(try await isValid(key, core)) }
            #expect(try await core.operator().run(ListSecrets()).count == 2)
            let named = try await core.operator().run(CreateSecret(name: "lobby", scopes: [.check]))
            let third = try await core.operator().run(CreateSecret())
            #expect(try await !isValid(keys[0], core))
            #expect(try await isValid(keys[1], core))
            #expect(try await core.operator().run(RevokeOldSecrets()) == 1)
            #expect(try await !isValid(keys[1], core))
            #expect(try await isValid(third, core))
            #expect(try await isValid(named, core))
            #expect(try await core.operator().run(RevokeOldSecrets()) == 0)
        }
    }

    @Test("KEY-1: every key ends at once when it is revoked, but the last with every scope stays")
    func revocation() async throws {
        try await TestCore.open { core in
            let named = try await core.operator().run(CreateSecret(name: "lobby", scopes: [.check, .moderate]))
            let secrets = try await core.operator().run(ListSecrets())
            let own = try #require(secrets.first { $0.name == nil })
            let lobby = try #require(secrets.first { $0.name == "lobby" })
            #expect(own.scopes == Set(SecretKeyScope.allCases))
            #expect(lobby.scopes == [.check, .moderate])
            #expect(secrets.map(\.name) == ["lobby", nil])
            #expect(!"\(secrets) \(core.callLog.lines)".contains(named.secretValue))
            #expect(await code { try await core.operator().run(RevokeSecret(id: own.id)) } == .invalidParameter)
            #expect(await code { try await core.operator().run(RevokeSecret(id: "nothing")) } == .invalidParameter)
            try await core.operator().run(RevokeSecret(id: lobby.id))
            #expect(try await !isValid(named, core))
            #expect(await code { try await core.operator().run(RevokeSecret(id: lobby.id)) } == .invalidParameter)
            let next = try await core.operator().run(CreateSecret())
            try await core.operator().run(RevokeSecret(id: own.id))
            #expect(try await core.operator().run(ListSecrets()).map(\.name) == [nil])
            #expect(try await isValid(next, core))
        }
    }

    @Test("KEY-1: a key has a name of 1 to 64 bytes and at least one scope, and an app has at most 32 of them")
    func bounds() async throws {
        try await TestCore.open { core in
            @Sendable func add(_ name: String, _ scopes: Set<SecretKeyScope> = [.check]) async throws {
                try await core.operator().run(CreateSecret(name: name, scopes: scopes))
            }
            for name in ["", String(repeating: "a", count: 65), "a\0"] {
                #expect(await code { try await add(name) } == .invalidParameter)
            }
            #expect(await code { try await add("lobby", []) } == .invalidParameter)
            try await add(String(repeating: "a", count: 64))
            for _ in 2...32 { try await add("lobby") }
            #expect(await code { try await add("lobby") } == .invalidParameter)
            #expect(try await core.operator().run(ListSecrets()).count == 33)
        }
    }

    @Test("A key of a database that knew no scopes has every scope")
    func earlierKeys() {
        #expect(Set<SecretKeyScope>(words: nil) == Set(SecretKeyScope.allCases))
        #expect(Set<SecretKeyScope>(words: "erase check and-one-of-a-later-version") == [.check, .erase])
        #expect(Set<SecretKeyScope>(words: "").isEmpty)
    }

    @Test("KEY-1, KEY-2: a directory's entry knows the keys that count, by their hashes, and no part of one")
    func entry() async throws {
        try await TestCore.open { core in
            let key = try await core.operator().run(CreateSecret(name: "lobby", scopes: [.check]))
            let entry = try await core.services.directory.entry(TestCore.app)
            #expect(entry.secret(key)?.scopes == [.check])
            let text = key.secretValue
            for wrong in ["", String(text.dropLast()), text + "A", text.lowercased(), "gsk_"] {
                #expect(entry.secret(SecretKey(wrong)) == nil)
            }
            let stored = try await core.database.rows("SELECT secret_hash FROM app_secrets") { row in
                String(decoding: try row[0] as [UInt8], as: UTF8.self)
            }
            #expect(stored.count == 2 && !stored.contains { $0.contains(text) })
            let hash = Array(SHA256.hash(data: Data(text.utf8)))
            #expect(try await core.count("SELECT COUNT(*) FROM app_secrets WHERE secret_hash = \(hash)") == 1)
        }
    }
}
