import Crypto
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// The change of the master key.
@Suite struct RekeyTests {
    private struct Crash: Error {}

    @Test(
        "KEY-1: a server serves before, during and after a change of the master key, and so does a node with the new one",
        arguments: Engine.available)
    func serving(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await withKeyFile(TestCore.masterKey) { file in
                let alice = try await core.player("alice")
                let bob = try await core.device("tablet").logIn(once: "1")
                let key = try await core.guest("console").run(
                    IssueTransferKey(request: TransferKeyRequest(validSeconds: 60)))
                @Sendable func serves(_ node: TestCore) async throws {
                    #expect(try await alice.on(node).isLoggedIn)
                    _ = try await node.player("carol")
                    #expect(try await bob.device.on(node).logIn(once: "1").user == bob.user)
                    let secret = try await node.database.read { [vault = node.services.vault] tx in
                        try IdentityProviderQueries.providers(of: TestCore.app, in: tx)[.naver]?
                            .secrets(of: .naver, in: TestCore.app, vault: vault).clientSecret?.secretValue
                    }
                    #expect(secret == "secret")
                }
                try await file.rekey(core.database, random: .live) { _ in try await serves(core) }
                try await serves(core)
                #expect(try MasterKey.read(file.path) != TestCore.masterKey)
                let node = try core.restarted(try await file.vault(of: core.database, random: .live))
                try await serves(node)
                try await node.device("other").redeem(key)
                // The old key opens nothing, and the error says so.
                let failure = await #expect(throws: KeyVaultError.cannotOpen("secrets")) {
                    _ = try await KeyVault.open(core.database, masterKey: TestCore.masterKey, random: .live)
                }
                #expect(failure?.description.contains("does not open the secrets of this database") == true)
            }
        }
    }

    @Test(
        "KEY-1: after a change of the master key, the old one and a copy of a database that version 1 wrote open no lasting secret",
        arguments: Engine.available)
    func earlierDatabase(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            let oldKey = [UInt8](repeating: 7, count: 32)
            let derived = try DataKeys.earlier(of: oldKey)
            try await database.transact { tx in
                func earlier(_ text: String, for purpose: KeyVault.Purpose) throws -> [UInt8] {
                    let box = try AES.GCM.seal(
                        Data(text.utf8), using: SymmetricKey(data: derived), authenticating: Data(purpose.text.utf8))
                    return Array(box.nonce) + box.ciphertext + box.tag
                }
                _ = try KeyQueries.insertVaultCheck(earlier("gatehouse", for: .check), in: tx)
                _ = try AppRules.create(
                    "game", name: "Game", vault: KeyVault(masterKey: oldKey), at: Moment(milliseconds: 0),
                    random: .live, in: tx)
                try tx.execute("DELETE FROM signing_keys")
                try KeyQueries.insert(
                    .init(
                        id: "key-1", sealed: earlier("signing", for: .signingKey("key-1", of: "game")), createdAt: 0,
                        activeAt: 0), app: "game", in: tx)
                try tx.execute(
                    """
                    INSERT INTO identity_providers (app_id, idp, settings, sealed_secret, is_enabled, created_at)
                    VALUES (\(AppID("game")), \(Provider("google")), \("{}"),
                        \(try earlier("secret", for: .providerSecrets(.google, in: "game"))), \(true), \(Int64(0)))
                    """)
                // More tokens than one page contains.
                for number in 0..<450 {
                    let user = UserID("USER\(number)")
                    try tx.execute(
                        """
                        INSERT INTO identity_tokens (user_id, app_id, idp, session_id, sealed_tokens, updated_at)
                        VALUES (\(user), \(AppID("game")), \(Provider("google")), \("s"),
                            \(try earlier("tokens", for: .identityTokens(.google, of: user, in: "game"))), \(Int64(0)))
                        """)
                }
            }
            // A wrong key is refused, and changes nothing.
            await #expect(throws: KeyVaultError.cannotOpen("secrets")) {
                _ = try await KeyVault.open(database, masterKey: [UInt8](repeating: 9, count: 32), random: .live)
            }
            let running = try await KeyVault.open(database, masterKey: oldKey, random: .live)
            try await withKeyFile(oldKey) { file in
                let opened = try await Self.lasting(database, running)
                #expect(opened == ["signing", "secret"] + Array(repeating: "tokens", count: 450))
                try await file.rekey(database, random: .live)
                let attacker = KeyVault(DataKeys(current: derived, earlier: derived), random: .live)
                #expect(try await Self.lasting(database, attacker).isEmpty)
                for vault in [running, try await file.vault(of: database, random: .live)] {
                    #expect(try await Self.lasting(database, vault) == opened)
                    try await database.transact { tx in try KeyRules.checkVault(vault, in: tx) }
                }
            }
        }
    }

    /// Decrypts the signing keys, the providers' secrets and the members' tokens with a vault.
    private static func lasting(_ database: Database, _ vault: KeyVault) async throws -> [String] {
        try await database.read { tx in
            let keys = try tx.rows("SELECT sealed_key FROM signing_keys") { row in
                try? vault.open(row[0], for: .signingKey("key-1", of: "game"))
            }
            let secrets = try tx.rows("SELECT sealed_secret FROM identity_providers") { row in
                try? vault.open(row[0], for: .providerSecrets(.google, in: "game"))
            }
            let tokens = try tx.rows("SELECT sealed_tokens, user_id FROM identity_tokens") { row in
                try? vault.open(row[0], for: .identityTokens(.google, of: row[1], in: "game"))
            }
            return (keys + secrets + tokens).compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
        }
    }

    @Test(
        "KEY-1: a change that is stopped after any of its steps is finished or forgotten by the next start, or the next change",
        arguments: Engine.available, MasterKeyFile.Step.allCases)
    func stopped(engine: Engine, step: MasterKeyFile.Step) async throws {
        for startsAgain in [true, false] {
            try await withDatabase(engine, migrations: Migration.all) { database, _ in
                try await withKeyFile(nil) { file in
                    let sealed = try await file.vault(of: database, random: .live).seal([1, 2, 3], for: .job("1"))
                    let oldKey = try MasterKey.read(file.path)
                    await #expect(throws: Crash.self) {
                        try await file.rekey(database, random: .live) { if $0 == step { throw Crash() } }
                    }
                    if startsAgain {
                        let vault = try await file.vault(of: database, random: .live)
                        #expect(try vault.open(sealed, for: .job("1")) == [1, 2, 3])
                        // From the commit on the new key is valid, and in its place.
                        let isChanged = step == .committed || step == .renamed
                        let key = try MasterKey.read(file.path)
                        #expect((key != oldKey) == isChanged)
                        #expect((access(file.nextPath, F_OK) == 0) == (step == .begun || step == .written))
                    }
                    try await file.rekey(database, random: .live)
                    #expect(access(file.nextPath, F_OK) != 0)
                    let key = try MasterKey.read(file.path)
                    #expect(key != oldKey)
                    let vault = try await KeyVault.open(database, masterKey: key, random: .live)
                    #expect(try vault.open(sealed, for: .job("1")) == [1, 2, 3])
                    await #expect(throws: KeyVaultError.cannotOpen("secrets")) {
                        _ = try await KeyVault.open(database, masterKey: oldKey, random: .live)
                    }
                }
            }
        }
    }

    @Test("KEY-1: of two changes at once on one machine one wins, and the other says so", arguments: Engine.available)
    func atOnce(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            try await withKeyFile(nil) { file in
                for step in [MasterKeyFile.Step.begun, .written, .committed] {
                    try await file.rekey(database, random: .live) {
                        guard $0 == step else { return }
                        await #expect(throws: KeyVaultError.changedElsewhere) {
                            try await file.rekey(database, random: .live)
                        }
                        // A start in the middle of the change finds the valid key, and leaves the files to the change.
                        _ = try await file.vault(of: database, random: .live)
                        #expect(access(file.nextPath, F_OK) == 0)
                    }
                }
                let failures = try await together(8) { _ -> KeyVaultError? in
                    do {
                        try await file.rekey(database, random: .live)
                        return nil
                    } catch let error as KeyVaultError {
                        return error
                    }
                }
                #expect(failures.contains(nil))
                #expect(failures.compactMap { $0 }.allSatisfy { $0 == .changedElsewhere })
                _ = try await KeyVault.open(database, masterKey: MasterKey.read(file.path), random: .live)
            }
        }
    }

    @Test(
        "KEY-1: of two changes at once on two machines the database lets one win, and the other leaves its key file as it was",
        arguments: Engine.available)
    func onTwoMachines(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            let key = RandomSource.live.bytes(32)
            try await withKeyFile(key) { one in
                try await withKeyFile(key) { other in
                    await #expect(throws: KeyVaultError.changedElsewhere) {
                        try await one.rekey(database, random: .live) {
                            if $0 == .written { try await other.rekey(database, random: .live) }
                        }
                    }
                    #expect(try MasterKey.read(one.path) == key)
                    #expect(access(one.nextPath, F_OK) != 0)
                    _ = try await other.vault(of: database, random: .live)
                    await #expect(throws: KeyVaultError.cannotOpen("secrets")) {
                        _ = try await one.vault(of: database, random: .live)
                    }
                }
            }
        }
    }

    @Test("KEY-1: a new key file is for the owner of the old one alone, and a link to it stays one")
    func file() async throws {
        try await withDatabase(.sqlite, migrations: Migration.all) { database, _ in
            try await withKeyFile(nil) { file in
                _ = try await file.vault(of: database, random: .live)
                let link = "\(file.path).link"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
                chmod(file.path, 0o400)
                try await MasterKeyFile(path: link).rekey(database, random: .live)
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o400)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file.path)
                _ = try await file.vault(of: database, random: .live)
            }
        }
    }

    @Test(
        "KEY-1: keys that are given change in the database alone, once, and only from the present one",
        arguments: Engine.available)
    func given(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            let keys = (0..<3).map { _ in RandomSource.live.bytes(32) }
            let old = MasterKeySource.given(keys[0])
            let sealed = try await old.vault(of: database, random: .live).seal([1], for: .job("1"))
            let callLog = CallLog()
            func rekey(_ source: MasterKeySource, to key: [UInt8]) async throws {
                try await source.rekey(database, to: key, random: .live, audit: callLog.reporter.audit)
            }
            await #expect(throws: KeyVaultError.sameKey) { try await rekey(old, to: keys[0]) }
            #expect(callLog.events.isEmpty)
            try await rekey(old, to: keys[1])
            // A client that did not get the response repeats the call.
            try await rekey(old, to: keys[1])
            await #expect(throws: KeyVaultError.cannotOpen("secrets")) { try await rekey(old, to: keys[2]) }
            #expect(callLog.events == ["master-key.changed", "master-key.changed"])
            let vault = try await MasterKeySource.given(keys[1]).vault(of: database, random: .live)
            #expect(try vault.open(sealed, for: .job("1")) == [1])
        }
    }

    @Test("KEY-1: processes that open a new database at once use one data key", arguments: Engine.available)
    func firstStart(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            let key = RandomSource.live.bytes(32)
            let vaults = try await together(8) { _ in
                try await KeyVault.open(database, masterKey: key, random: .live)
            }
            let sealed = try vaults[0].seal([1], for: .job("1"))
            for vault in vaults { #expect(try vault.open(sealed, for: .job("1")) == [1]) }
            // The data key is random: the master key alone, without the database, does not lead to it.
            #expect(throws: KeyVaultError.self) { try KeyVault(masterKey: key).open(sealed, for: .job("1")) }
        }
    }

    @Test("TRANSFER-8, TRF-3: a transfer key that version 1 has issued is redeemed", arguments: Engine.available)
    func earlierTransferKey(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let guest = try await core.guest()
            let key = try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 60)))
            let derived = SymmetricKey(data: try DataKeys.earlier(of: TestCore.masterKey))
            let text = "transfer key of \(TestCore.app)\0\(key.transferKey.secretValue)"
            let hash = Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: derived))
            let changed = try await core.database.transact { tx in
                try tx.execute("UPDATE transfer_keys SET key_hash = \(hash)")
            }
            #expect(changed == 1)
            #expect(try await core.device("tablet").redeem(key).member.userId == guest.user)
            #expect(await code { try await core.device("console").redeem(key) } == .authTransferKeyConsumed)
        }
    }
}

/// Runs a test with a key file in a separate folder, with the given key or a new one.
private func withKeyFile<Value>(
    _ key: [UInt8]?, _ test: (MasterKeyFile) async throws -> Value
) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.resolvingSymlinksInPath().appendingPathComponent("test.key").path
    if let key {
        _ = FileManager.default.createFile(
            atPath: path, contents: Data("\(Base64URL.encode(key))\n".utf8), attributes: [.posixPermissions: 0o600])
    }
    return try await test(MasterKeyFile(path: path))
}
