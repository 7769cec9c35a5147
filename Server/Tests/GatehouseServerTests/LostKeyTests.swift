import FakeProviders
import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// Recovery from a lost master key.
@Suite struct LostKeyTests {
    @Test(
        "KEY-1: a lost master key takes what it has sealed and nothing else: sessions, members and bans go on",
        arguments: Engine.available)
    func giveUp(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let player = Player(
                device: device,
                login: try await world.call(
                    Endpoints.logIn, world.credential(.google, "alice", accessToken: true), by: device
                ).decoded(as: Login.self))
            let banned = try await world.guestPlayer()
            _ = try await world.run(BanMembers([banned.user], until: nil), reason: "r")
            let guest = try await world.guestPlayer()
            _ = try await world.ticket(.google, "alice", for: guest)
            _ = try await world.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60), by: guest)
            let leaving = try await world.logIn(.facebook, "bob", accessToken: true)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: leaving)

            let newKey = RandomSource.live.bytes(32)
            let source = MasterKeySource.given(newKey)
            let expected = try await source.losses(of: world.database, random: .live)
            #expect(Set(expected.apps) == [World.app, World.otherApp])
            #expect(expected.providers.contains(.init(app: World.app, provider: .google)))
            #expect(expected.identityTokens > 0)
            #expect(expected.jobs == 1)
            #expect(expected.transferKeys == 1)
            #expect(expected.pendingLogins == 1)
            let lost = try await source.giveUp(
                world.database, by: "jane", at: world.clock.now, random: .live, audit: world.audit.log)
            #expect(lost == expected)
            #expect(world.audit.events.last == "master-key.replaced")
            #expect(try await world.auditRecords(since: world.clock.now).last?.event == "master-key.replaced")
            // A second time is refused.
            await #expect(throws: KeyVaultError.notLost) {
                _ = try await source.losses(of: world.database, random: .live)
            }
            let others = MasterKeySource.given(RandomSource.live.bytes(32))
            let again = try await others.losses(of: world.database, random: .live)
            #expect(again.providers.isEmpty && again.jobs == 0 && again.identityTokens == 0)

            let vault = try await source.vault(of: world.database, random: .live)
            try await world.onSecondNode(vault: vault) { node in
                // The old access token's signature is no longer valid; the session is, because the device's key proves it.
                #expect(try await node.heartbeat(device, player.access).status == 401)
                let refreshed = try await node.refresh(device, player.login.session.refreshToken)
                let token = try refreshed.decoded(as: SessionRenewal.self).session.accessToken
                #expect(try await node.heartbeat(device, token).status == 200)
                #expect(try await node.checkToken(token).status == 200)
                #expect(try await node.logIn(TestDevice()).status == 200)
                #expect(try await node.report(banned.user).member.status == .banned)
            }
            #expect(try await world.count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'") == 0)
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
                database, by: "jane", at: World.Clock.start, random: .live, audit: World.Journal().log)
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
                        database, by: "jane", at: World.Clock.start, random: .live, audit: World.Journal().log)
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
