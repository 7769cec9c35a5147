import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Recovery from a lost master key.
@Suite struct LostKeyTests {
    @Test(
        "KEY-1: a lost master key takes what it has sealed and nothing else: sessions, members and bans go on",
        arguments: Engine.available)
    func giveUp(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let alice = try await core.player("alice", on: "tablet")
            let banned = try await core.guest("banned")
            try await core.ban([banned.user])
            let guest = try await core.guest("phone")
            _ = try await guest.ticket(for: .naver, of: "alice")
            try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 60)))
            try await core.player("bob", .twitter, on: "console").run(Withdraw())

            let source = MasterKeySource.given(RandomSource.live.bytes(32))
            let expected = try await source.losses(of: core.database, random: .live)
            #expect(expected.apps == [TestCore.app])
            #expect(expected.providers.contains(.init(app: TestCore.app, provider: .naver)))
            #expect(expected.identityTokens > 0)
            #expect(expected.jobs == 1)
            #expect(expected.transferKeys == 1)
            #expect(expected.pendingLogins == 1)
            let audit = core.callLog.reporter.audit
            let lost = try await source.giveUp(
                core.database, by: "jane", at: core.clock.now, random: .live, audit: audit)
            #expect(lost == expected)
            #expect(core.callLog.events.last == "master-key.replaced")
            #expect(try await core.records().last?.event == "master-key.replaced")
            // A second time is refused.
            await #expect(throws: KeyVaultError.notLost) {
                _ = try await source.losses(of: core.database, random: .live)
            }
            let others = MasterKeySource.given(RandomSource.live.bytes(32))
            let again = try await others.losses(of: core.database, random: .live)
            #expect(again.providers.isEmpty && again.jobs == 0 && again.identityTokens == 0)

            // The old access token's signature is no longer valid; the session is, because the device's key proves it.
            let node = try core.restarted(try await source.vault(of: core.database, random: .live))
            var player = alice.on(node)
            #expect(try await !player.isLoggedIn)
            player.login.session = try await player.holder.run(RefreshSession()).session
            #expect(try await player.isLoggedIn)
            let check = CheckToken(request: TokenCheckRequest(accessToken: player.login.session.accessToken))
            #expect(try await node.gameServer([.check]).run(check).member.userId == alice.user)
            #expect(try await node.guest("new").isLoggedIn)
            #expect(try await node.member(banned.user).status == .banned)
            #expect(try await core.count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'") == 0)
        }
    }

    @Test(
        "KEY-1: a master key is not lost where PostgreSQL writes bytes in another form",
        .enabled(if: Engine.available.contains(.postgresql)))
    func otherForm() async throws {
        try await withDatabaseURL(.postgresql) { url in
            let source = MasterKeySource.given(RandomSource.live.bytes(32))
            try await withOpen(DatabaseLocation(url)) { database in
                try await database.migrate(Migration.all)
                _ = try await source.vault(of: database, random: .live)
            }
            try await withOpen(DatabaseLocation("\(url)?options=-c%20bytea_output%3Descape")) { database in
                await #expect(throws: KeyVaultError.notLost) {
                    _ = try await source.losses(of: database, random: .live)
                }
            }
        }
    }

    @Test(
        "KEY-1: a missing key file is an error beside a database that has secrets, and a new key beside one that has none"
    )
    func missingFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.resolvingSymlinksInPath().appendingPathComponent("master.key").path
        try await withDatabase(.sqlite, migrations: Migration.all) { database, _ in
            let source = MasterKeySource.file(MasterKeyFile(path: path))
            await #expect(throws: KeyVaultError.nothingSealed) {
                _ = try await source.losses(of: database, random: .live)
            }
            _ = try await source.vault(of: database, random: .live)
            let key = try Data(contentsOf: URL(fileURLWithPath: path))
            await #expect(throws: KeyVaultError.notLost) { _ = try await source.losses(of: database, random: .live) }
            unlink(path)
            let failure = await #expect(throws: KeyVaultError.missingFile(path: path)) {
                _ = try await source.vault(of: database, random: .live)
            }
            #expect(failure?.description.contains(path) == true)
            #expect(failure?.description.contains("gatehouse rekey --lost") == true)
            #expect(access(path, F_OK) != 0)
            // A key that belongs to something else is never replaced.
            let other = "\(Base64URL.encode(RandomSource.live.bytes(32)))\n"
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(other.utf8), attributes: [.posixPermissions: 0o600])
            await #expect(throws: KeyVaultError.otherKey(path: path)) {
                _ = try await source.losses(of: database, random: .live)
            }
            unlink(path)
            _ = try await source.giveUp(
                database, by: "jane", at: Clock().now, random: .live, audit: CallLog().reporter.audit)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != key)
            _ = try await source.vault(of: database, random: .live)
        }
    }

    @Test("KEY-1: of several who give up one lost key at once one does", arguments: Engine.available)
    func atOnce(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            _ = try await KeyVault.open(database, masterKey: RandomSource.live.bytes(32), random: .live)
            let won = try await together(6) { _ in
                do {
                    _ = try await MasterKeySource.given(RandomSource.live.bytes(32)).giveUp(
                        database, by: "jane", at: Clock().now, random: .live, audit: CallLog().reporter.audit)
                    return 1
                } catch KeyVaultError.changedElsewhere {
                    return 0
                }
            }
            #expect(won.reduce(0, +) >= 1)
            #expect(try await database.rows("SELECT COUNT(*) FROM vault_check") { row in try row[0] as Int } == [1])
        }
    }

    @Test("KEY-1: every sealed column of the schema is one that a lost key is given up with")
    func columns() async throws {
        try await withDatabase(.sqlite, migrations: Migration.all) { database, _ in
            let columns = try await database.rows(
                """
                SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name LIKE 'sealed%'
                """
            ) { row in try row[0] as String }
            #expect(Set(columns) == LostKeyRules.columns)
        }
    }
}
