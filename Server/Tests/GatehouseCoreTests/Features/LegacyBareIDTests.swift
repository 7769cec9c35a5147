import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Ids of devices that are credentials, where an operator says that nobody can guess them.
@Suite struct LegacyBareIDTests {
    private static let device = "7d1c0b3a-5f0e-4c61-9a54-1f1b6f6f2d11"

    private static func open(
        _ engine: Engine, _ test: @escaping @Sendable (OldSystem) async throws -> Void
    ) async throws {
        try await OldSystem.open(engine, .nakama, { $0.bareIDs = .guests }, test)
    }

    @Test(
        "An id brings its guest once, and is no credential where the source does not say so",
        arguments: Engine.available)
    func guest(engine: Engine) async throws {
        try await Self.open(engine) { old in
            let user = try await old.add("p1", devices: [Self.device, "another-of-the-same-player"])
            let player = try await old.migrate(.device(Self.device))
            #expect(player.user == user && player.login.provider == .guest)
            #expect(player.login.migrated == LegacyMigration(source: "old", legacyId: "p1", first: true))
            #expect(try await old.migrate(.device(Self.device)).user == user)
            // Another device's id of the same player, and another kind of the same text.
            #expect(await old.reason(.device("another-of-the-same-player"), on: "tablet") == .legacyUnknown)
            let other = LegacyCredential(kind: .customID, value: ProviderToken(Self.device))
            #expect(await old.reason(other, on: "tablet") == .legacyUnknown)
            try await old.set(.nakama)
            #expect(await old.reason(.device(Self.device)) == .credentialRejected)
        }
    }

    @Test(
        "An unknown id, a wrong one and one that is claimed look the same, also where players may move",
        arguments: Engine.available)
    func alike(engine: Engine) async throws {
        try await Self.open(engine) { old in
            try await old.set(.nakama) { ($0.bareIDs, $0.secondClaims) = (.guests, .move) }
            try await old.add("p1", devices: [Self.device])
            try await old.migrate(.device(Self.device))
            let claimed = await refusal { try await old.migrate(.device(Self.device), on: "thief") }
            let unknown = await refusal { try await old.migrate(.device("never-seen"), on: "thief") }
            #expect(claimed?.reason == .legacyUnknown && claimed == unknown)
        }
    }

    @Test("An id alone brings nobody who has an identity", arguments: Engine.available)
    func identities(engine: Engine) async throws {
        try await Self.open(engine) { old in
            try await old.add("p1", identities: [.naver("alice")], devices: [Self.device])
            let refused = await refusal { try await old.migrate(.device(Self.device)) }
            #expect(refused?.reason == .legacyProviderRequired && refused?.details.providers == [.naver])
        }
    }

    @Test(
        "Guesses are limited for a device, a network and the app, over all nodes; good ids are not",
        arguments: Engine.available)
    func limits(engine: Engine) async throws {
        try await Self.open(engine) { old in
            try await old.add("p1", devices: [Self.device])
            for _ in 0..<12 { try await old.migrate(.device(Self.device), on: "good") }
            let nodes = [old, try old.restarted()]
            for number in 0..<10 {
                #expect(await nodes[number % 2].reason(.device("guess-\(number)"), on: "thief") == .legacyUnknown)
            }
            #expect(await nodes[1].reason(.device(Self.device), on: "thief") == .tooManyRequests)
            #expect(await nodes[0].reason(.device("guess"), on: "thief") == .tooManyRequests)
            // The network has had ten of its sixty.
            for number in 0..<50 {
                let reason = await old.reason(.device("guess-\(number)"), on: "key\(number)", from: "192.0.2.\(number)")
                #expect(reason == .legacyUnknown)
            }
            #expect(await old.reason(.device("guess"), on: "key", from: "192.0.2.99") == .tooManyRequests)
            #expect(await old.reason(.device("guess"), on: "key", from: "192.0.3.99") == .legacyUnknown)
            old.core.clock.advance(seconds: 3_600)
            #expect(await old.reason(.device("guess"), on: "thief") == .legacyUnknown)
        }
    }

    @Test("An operator is told when a tenth of what an app may get has come, and once", arguments: Engine.available)
    func alarm(engine: Engine) async throws {
        try await Self.open(engine) { old in
            for number in 0..<LegacyAttempts.alarm + 2 {
                let address = "10.\(number / 50).0.1"
                #expect(await old.reason(.device("guess"), on: "key\(number)", from: address) == .legacyUnknown)
            }
            #expect(old.core.callLog.events.filter { $0 == "app.legacy-guesses" }.count == 1)
        }
    }

    @Test("An empty id and one that is too long are mistakes of the call", arguments: Engine.available)
    func form(engine: Engine) async throws {
        try await Self.open(engine) { old in
            for id in ["", String(repeating: "a", count: 257)] {
                #expect(await code { try await old.migrate(.device(id)) } == .invalidParameter)
            }
            let count = try await old.core.count("SELECT COUNT(*) FROM legacy_attempts")
            #expect(count == 0)
        }
    }
}
