import Crypto
import Foundation
import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// The encryption of secrets, and of values from version 1.
@Suite struct KeyVaultTests {
    private static let masterKey = [UInt8](repeating: 7, count: 32)

    /// Values encrypted by version 1 with that master key: "what was sealed" for each purpose.
    private static let sealed: [(KeyVault.Purpose, String)] = [
        (.signingKey("key-1", of: "game"), "wKIyRGWW/9Z6w2LiZAkF+T9Hdo6E4e1MDBs3KYnD21RXsRHmFjUFM/jEEg=="),
        (
            .outcome("call-1", of: "device-1", in: "game"),
            "fF2AvDSxRtPO+NS2ZjlAkFj2++B2FJoPWv1x/xb7EGpwG8a8RdgXRI+Xxg=="
        ),
        (.ticketTokens("ticket-1"), "0klNBpY/0aM+JKch7IbakDBaqsc9TlihowVUM4oCXI9FlAY1fsZY3CwskA=="),
        (.job("job-1"), "A48hg0C8/TdilLwtNcWXf3wd8Nq2tenzge9cMM81N7OghMK/eAn5XRxiOw=="),
        // This nonce begins with the number of the present version.
        (.job("job-1"), "AoVGjkRIUPBJ70PvFoR12NRg+lakDp9DCXfyHUyUcHxkuxVkxibI/O8DUg=="),
        (.providerSecrets(.google, in: "game"), "0yOehSZVx3YdVFB/BJw5g4TSLDwYGWZG36IcYGYR9zHlajsGAGIxTMB1FA=="),
        (
            .identityTokens(.google, of: UserID("USER1"), in: "game"),
            "Ub4u8gWWUAWL+udWTurk2I2KYuXo58xSfAkFGV1kPn4JYsQI9OuRIqj3Aw=="
        ),
        (.loginPlan("attempt-1"), "vuJyMhlk6uopvsuKgKS3vbd+9u83lwNMr2fDmoyOJrdZcW1TEocW2JPivw=="),
        (.loginIdentity("attempt-1"), "I/x1nzgOXa3o4kAnlptUwsTKOaczy4dxRJEeIhbQYkuqMx9H0hC65wQ+7w=="),
    ]

    @Test("KEY-1: what version 1 has sealed opens, for its purpose alone, and a database without it opens none of it")
    func earlier() throws {
        let vault = try KeyVault(masterKey: Self.masterKey)
        let derived = try DataKeys.earlier(of: Self.masterKey)
        let upgraded = KeyVault(DataKeys(madeBy: .live, earlier: derived), random: .live)
        let new = KeyVault(DataKeys(madeBy: .live), random: .live)
        for (purpose, text) in Self.sealed {
            let sealed = Array(try #require(Data(base64Encoded: text)))
            for vault in [vault, upgraded] {
                #expect(try vault.open(sealed, for: purpose) == Array("what was sealed".utf8))
                #expect(vault.isEarlier(sealed, for: purpose))
                #expect(throws: KeyVaultError.self) { try vault.open(sealed, for: .job("another")) }
            }
            #expect(throws: KeyVaultError.self) { try new.open(sealed, for: purpose) }
        }
        let check = Array(try #require(Data(base64Encoded: "rn7zT4sQ1uM46btFUWbO6eadPks3tSL4+/G5k97tWkA2GzlSiw==")))
        #expect(try upgraded.open(check, for: .check) == Array("gatehouse".utf8))
    }

    @Test("TRF-3: the fingerprint that version 1 made of a transfer key is known, and new ones have a key of their own")
    func fingerprints() throws {
        let stored = Array(try #require(Data(base64Encoded: "8khCQFDNyPXjTLgqO4CzmKUZ2EICBJs3VphB0/NhXAU=")))
        let vault = KeyVault(DataKeys(madeBy: .live, earlier: try DataKeys.earlier(of: Self.masterKey)), random: .live)
        let known = vault.knownFingerprints(of: "AbCdEfGh", for: .transferKey(of: "game"))
        #expect(known == [vault.fingerprint(of: "AbCdEfGh", for: .transferKey(of: "game")), stored])
        #expect(known[0] != stored)
        #expect(known[0].count == 32)
        for other in [
            vault.knownFingerprints(of: "AbCdEfGh", for: .transferKey(of: "other")),
            vault.knownFingerprints(of: "AbCdEfGi", for: .transferKey(of: "game")),
        ] {
            #expect(Set(other).isDisjoint(with: known))
        }
        #expect(
            KeyVault(DataKeys(madeBy: .live), random: .live).knownFingerprints(of: "a", for: .transferKey(of: "b"))
                .count == 1)
    }

    @Test("KEY-1: a value opens for its own purpose and record, and not when a byte of it is another")
    func purposes() throws {
        let vault = try KeyVault(masterKey: Self.masterKey)
        var purposes = Self.sealed.map(\.0)
        purposes.remove(at: 4)
        // The same text for another kind: the kind's key makes the difference, not only the text.
        purposes += KeyVault.Purpose.Kind.allCases.map { KeyVault.Purpose(kind: $0, text: "the same") }
        for purpose in purposes {
            let sealed = try vault.seal(Array("secret".utf8), for: purpose)
            for other in purposes {
                #expect((try? vault.open(sealed, for: other)) == (other == purpose ? Array("secret".utf8) : nil))
            }
        }
        let sealed = try vault.seal(Array("secret".utf8), for: .job("1"))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: KeyVaultError.self) { try vault.open(changed, for: .job("1")) }
        }
        for count in sealed.indices {
            #expect(throws: KeyVaultError.self) { try vault.open(Array(sealed.prefix(count)), for: .job("1")) }
        }
    }

    @Test("KEY-1: each value has a key of its own, HKDF-Expand of its kind's over a salt of 128 random bits")
    func onceOnly() throws {
        let keys = DataKeys(madeBy: .live)
        let vault = KeyVault(keys, random: .live)
        let values = try (0..<1_000).map { _ in try vault.seal(Array("same".utf8), for: .job("1")) }
        #expect(Set(values.map { Array($0[1..<17]) }).count == values.count)
        #expect(Set(values.map { Array($0[17..<21]) }).count == values.count)
        // The same derivation with the library's own HKDF.
        let prk = HKDF<SHA256>.extract(
            inputKeyMaterial: SymmetricKey(data: keys.current), salt: Data("gatehouse vault 2".utf8))
        let kind = HKDF<SHA256>.expand(pseudoRandomKey: prk, info: Data("seal job".utf8), outputByteCount: 32)
        for value in values.prefix(8) {
            let once = HKDF<SHA256>.expand(pseudoRandomKey: kind, info: Data(value[1..<17]), outputByteCount: 32)
            let box = try AES.GCM.SealedBox(combined: Data(count: 12) + value[17...])
            #expect(try AES.GCM.open(box, using: once, authenticating: Data("job 1".utf8)) == Data("same".utf8))
        }
    }

    @Test("A key file is read whatever its editor has added, and what is wrong with another is said with its name")
    func keyFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("master.key").path
        func read(_ text: String) throws -> [UInt8] {
            try? FileManager.default.removeItem(atPath: path)
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            return try MasterKey.file(at: path, random: .live)
        }
        let key = Data(Self.masterKey).base64EncodedString()
        for text in [key, "\u{feff}\(key)\r\n", "\(key)\n\n"] { #expect(try read(text) == Self.masterKey) }
        for text in ["", "no key", "c2hvcnQ="] {
            let error = #expect(throws: KeyVaultError.self) { try read(text) }
            #expect(error?.description.contains("the key file \(path) holds no master key: ") == true, "\(text)")
        }
        let error = #expect(throws: KeyVaultError.self) { try MasterKey.file(at: folder.path, random: .live) }
        #expect(error?.description == "the key file \(folder.path) is a folder")
    }

    @Test("KEY-1: data keys unwrap with the master key that wrapped them and with no other")
    func wrapping() throws {
        for keys in [DataKeys(madeBy: .live), DataKeys(madeBy: .live, earlier: RandomSource.live.bytes(32))] {
            let wrapped = try keys.wrapped(by: Self.masterKey)
            #expect(try DataKeys(wrapped, masterKey: Self.masterKey) == keys)
            #expect(throws: KeyVaultError.cannotOpen("secrets")) {
                try DataKeys(wrapped, masterKey: [UInt8](repeating: 8, count: 32))
            }
            #expect(throws: KeyVaultError.wrongKeyLength(31)) {
                try DataKeys(wrapped, masterKey: [UInt8](repeating: 7, count: 31))
            }
        }
    }
}
