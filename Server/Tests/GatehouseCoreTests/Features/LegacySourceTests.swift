import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What an operator sets for a system that players come from, and how its time ends.
@Suite struct LegacySourceTests {
    private static let key = ProviderToken("a-secret-of-the-old-system")

    private static func parameter(_ body: () async throws -> Void) async -> String? {
        let refused = await refusal(of: body)
        return refused?.code == .invalidParameter ? refused?.details.parameter : refused.map { "\($0.code)" }
    }

    @Test("A source needs what its kind needs, a name, an address of the internet and an end")
    func settings() async throws {
        try await TestCore.open { core in
            let old = OldSystem(core: core)
            func parameter(
                _ kind: LegacySourceKind, until: Moment? = nil, _ change: (inout LegacySettings) -> Void
            ) async -> String? {
                await Self.parameter { try await old.set(kind, until: until, change) }
            }
            #expect(await parameter(.firebase) { $0.project = nil } == "project")
            #expect(await parameter(.firebase) { $0.project = "" } == "project")
            #expect(await parameter(.eos) { _ in } == "audience")
            #expect(await parameter(.cognito) { $0.audience = "a" } == "issuer")
            for issuer in ["http://id.example", "ftp://id.example", "id.example", "https://id.example/"] {
                #expect(await parameter(.cognito) { ($0.issuer, $0.audience) = (issuer, "a") } == "issuer", "\(issuer)")
            }
            let gatehouse = { (settings: inout LegacySettings) in
                settings.isGatehouse = true
                (settings.issuer, settings.audience) = ("https://login.example/v1/apps/a", "a")
            }
            #expect(await parameter(.cognito, gatehouse) == "issuer")
            for (issuer, audience) in [
                ("https://login.example/v1/apps/b", "a"), ("https://login.example/v1/apps/a/", "a"),
                ("https://login.example", "a"),
            ] {
                let found = await parameter(.openid) {
                    gatehouse(&$0)
                    ($0.issuer, $0.audience) = (issuer, audience)
                }
                #expect(found == "issuer", "\(issuer)")
            }
            #expect(await parameter(.firebase) { $0.origin = "https://fake.example" } == "origin")
            #expect(await parameter(.firebase) { $0.tenant = String(repeating: "t", count: 513) } == "source")
            let day: Int64 = 86_400
            for seconds in [0, -1, 400 * day + 1] {
                let end = core.clock.now.adding(seconds: seconds)
                #expect(await parameter(.firebase, until: end) { _ in } == "until", "\(seconds)")
            }
            for name in ["", "Old", "old system", "../old", String(repeating: "a", count: 41)] {
                var settings = LegacySettings()
                settings.project = "p"
                let set = SetLegacySource(name: name, kind: .firebase, settings: settings)
                #expect(await Self.parameter { try await core.operator().run(set) } == "source")
            }
            #expect(try await core.operator().run(.legacySources).isEmpty)
            try await old.set()
            let source = try #require(try await core.operator().run(.legacySources).first)
            #expect(source.openUntil == core.clock.now.adding(seconds: 180 * day) && source.closedAt == nil)
            #expect(core.callLog.events.last == "app.legacy-source-set")
        }
    }

    @Test("Keys that a system is delivered with are refused, and no key is anywhere in plain text")
    func keys() async throws {
        try await TestCore.open { core in
            let old = OldSystem(core: core)
            for key in ["defaultencryptionkey", "defaultkey", "short", String(repeating: "k", count: 4_097)] {
                #expect(await Self.parameter { try await old.set(.nakama, key: ProviderToken(key)) } == "key")
            }
            let known = ProviderToken("super-secret-jwt-token-with-at-least-32-characters-long")
            #expect(await Self.parameter { try await old.set(.supabase, key: known) } == "key")
            try await old.set(.nakama, key: Self.key)
            #expect(try await !core.database.dump().contains(Self.key.secretValue))
            #expect(!"\(core.callLog.lines)".contains(Self.key.secretValue))
        }
    }

    @Test("A source keeps its kind, its key and its end, and a key is not sent to another address")
    func changes() async throws {
        try await OldSystem.open(.sqlite, .gamebase, key: Self.key) { old in
            let user = "AAAAAAAAAAAAAAAA"
            let credential = LegacyCredential(kind: .accessToken, value: ProviderToken("ticket-of-\(user)"), id: user)
            try await old.set(.gamebase) { $0.secondClaims = .move }
            #expect(try await old.migrate(credential).login.migrated?.legacyId == user)
            #expect(await Self.parameter { try await old.set(.firebase) } == "kind")
            #expect(
                await Self.parameter { try await old.set(.gamebase) { $0.issuer = "https://evil.example" } } == "key")
            try await old.set(.gamebase, key: "another-key-of-it") { $0.issuer = "https://other.example" }
        }
    }

    @Test(
        "Closing a source goes through its rows page by page, and leaves those of others", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.bareIDs = .guests }) { old in
            let core = old.core
            try await old.add("p1", devices: (0..<25).map { "a-device-\($0)-of-this-player" })
            let user = try #require(try await old.member("p1")?.user)
            try await core.database.transact { tx in
                for number in UInt8(0)..<20 {
                    let hash = [number &* 12] + Array(repeating: number, count: 31)
                    try LegacyQueries.insertDevice(hash, "deviceId", of: user, source: "new", app: TestCore.app, in: tx)
                    try LegacyQueries.insertErased(
                        hash, source: number < 13 ? OldSystem.name : "new", app: TestCore.app,
                        at: Moment(milliseconds: 1),
                        in: tx)
                }
            }
            try await core.operator().run(CloseLegacySource(name: OldSystem.name, rows: 4))
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_devices WHERE source = 'new'") == 20)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_devices") == 20)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_erased WHERE source = 'new'") == 7)
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_erased") == 7)
        }
    }

    @Test(
        "Nobody comes after the end of a source, which can be moved, or after it was closed, for good",
        arguments: Engine.available)
    func end(engine: Engine) async throws {
        try await OldSystem.open(engine, .firebase, { $0.bareIDs = .guests }) { old in
            let core = old.core
            try await old.add("p1", devices: ["a-device-of-this-player"])
            try await old.set(until: core.clock.now.adding(seconds: 60)) { $0.bareIDs = .guests }
            core.clock.advance(seconds: 60)
            #expect(await old.reason(try old.token("p1")) == .legacyClosed)
            try await old.set(until: core.clock.now.adding(seconds: 60)) { $0.bareIDs = .guests }
            let player = try await old.migrate(old.token("p1"))
            let erased = try await old.migrate(old.token("p2"), on: "tablet")
            try await erased.run(Withdraw())
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_erased") == 1)

            let close = CloseLegacySource(name: OldSystem.name)
            try await core.operator().run(close)
            try await core.operator().run(close)
            #expect(core.callLog.events.filter { $0 == "app.legacy-source-closed" }.count == 1)
            for table in ["legacy_devices", "legacy_erased"] as [SQL] {
                #expect(try await core.count("SELECT COUNT(*) FROM \(table)") == 0)
            }
            #expect(try await core.count("SELECT COUNT(*) FROM legacy_sources WHERE sealed_settings IS NULL") == 1)
            for credential in [try old.token("p1"), .device("a-device-of-this-player")] {
                #expect(await old.reason(credential) == .legacyClosed)
            }
            #expect(await Self.parameter { try await old.set() } == "source")
            // Who has come stays, with the id of before, and can withdraw.
            #expect(try await old.member("p1")?.user == player.user)
            try await player.run(Withdraw())
            #expect(try await old.member("p1") == nil)
            let unknown = CloseLegacySource(name: "unknown")
            #expect(await code { try await core.operator().run(unknown) } == .invalidParameter)
        }
    }

    @Test(
        "Where the game's own server vouches, no device brings a player, and an unknown source is a mistake of the call"
    )
    func refusals() async throws {
        try await OldSystem.open(.sqlite, .firebase, { $0.confirmation = .server }) { old in
            #expect(await old.reason(try old.token("p1")) == .legacyServerRequired)
            for name in ["", "other", String(repeating: "a", count: 65)] {
                let request = MigrationRequest(source: name, credential: try old.token("p1"))
                let caller = old.core.device("phone").caller
                #expect(await Self.parameter { try await caller.run(MigratePlayer(request: request)) } == "source")
            }
        }
    }

    @Test("A lost master key closes every source, and takes what was hashed with its key", arguments: Engine.available)
    func lostKey(engine: Engine) async throws {
        try await OldSystem.open(engine) { old in
            try await old.add("p1", devices: ["a-device-of-this-player"])
            let source = MasterKeySource.given(RandomSource.live.bytes(32))
            let lost = try await source.giveUp(
                old.core.database, by: "jane", at: old.core.clock.now, random: .live,
                audit: old.core.callLog.reporter.audit)
            #expect(lost.legacySources == 1)
            #expect(try await old.core.count("SELECT COUNT(*) FROM legacy_devices") == 0)
            let vault = try await source.vault(of: old.core.database, random: .live)
            let answer = OldSystem.answer(at: old.core.clock)
            let node = OldSystem(core: try old.core.restarted(vault, fetch: answer))
            #expect(await node.reason(try old.token("p1")) == .legacyClosed)
            #expect(try await node.member("p1") != nil)
        }
    }
}
