import Crypto
import GatehousePlatform
package import GatehouseWire

/// Encrypts values that must be recoverable but never stored in plain text, neither in a database nor in its backups. Each value is
/// encrypted for one purpose and can't be decrypted for another, so that rows can't be swapped.
///
/// A value is encrypted with AES-256-GCM under a key that is used only once: an HKDF-Expand of its kind's key over a random salt of 128
/// bits. So no key comes near the limit of 2^32 values for random nonces, even after years. The keys of kinds, and those of keyed
/// hashes, are derived from the database's data key when the vault is created.
public struct KeyVault: Sendable {
    private let seals: [Purpose.Kind: SealingKey]
    /// The keyed hashes after processing their keys, which is half of their work.
    private let fingerprints: [FingerprintPurpose.Kind: HMAC<SHA256>]
    /// The key of values that version 1 encrypted, in databases that have such values.
    private let earlier: SymmetricKey?
    private let random: RandomSource

    /// A vault whose data key is derived from the master key, as in version 1. It is for tests, which don't change the master key;
    /// servers use ``open(_:masterKey:random:)``.
    ///
    /// - Parameter masterKey: 32 bytes.
    public init(masterKey: [UInt8]) throws {
        let derived = try DataKeys.earlier(of: masterKey)
        self.init(DataKeys(current: derived, earlier: derived), random: .live)
    }

    package init(_ keys: DataKeys, random: RandomSource) {
        let material = SymmetricKey(data: keys.current)
        func derive(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: Data("gatehouse vault 2".utf8), info: Data(purpose.utf8),
                outputByteCount: 32)
        }
        seals = Dictionary(
            uniqueKeysWithValues: Purpose.Kind.allCases.map { ($0, SealingKey(derive("seal \($0.rawValue)"))) })
        fingerprints = Dictionary(
            uniqueKeysWithValues: FingerprintPurpose.Kind.allCases.map { kind in
                (kind, HMAC<SHA256>(key: derive("fingerprint \(kind.rawValue)")))
            })
        earlier = keys.earlier.map { SymmetricKey(data: $0) }
        self.random = random
    }

    /// A keyed hash of a short secret, which is useless without the data key.
    package func fingerprint(of secret: String, for purpose: FingerprintPurpose) -> [UInt8] {
        guard let prepared = fingerprints[purpose.kind] else { return [] }
        return Self.fingerprint(of: secret, for: purpose, with: prepared)
    }

    /// Every fingerprint that a stored secret may have, beginning with this version's.
    package func knownFingerprints(of secret: String, for purpose: FingerprintPurpose) -> [[UInt8]] {
        [fingerprint(of: secret, for: purpose)]
            + (earlier.map { [Self.fingerprint(of: secret, for: purpose, with: HMAC(key: $0))] } ?? [])
    }

    private static func fingerprint(
        of secret: String, for purpose: FingerprintPurpose, with prepared: HMAC<SHA256>
    ) -> [UInt8] {
        var code = prepared
        code.update(data: Data("\(purpose.text)\0\(secret)".utf8))
        return Array(code.finalize())
    }

    /// Version, salt, ciphertext, tag.
    package func seal(_ bytes: some Sequence<UInt8>, for purpose: Purpose) throws -> [UInt8] {
        guard let key = seals[purpose.kind] else { throw KeyVaultError.cannotOpen(purpose.text) }
        let salt = random.bytes(SealingKey.saltLength)
        let box = try AES.GCM.seal(
            Data(bytes), using: key.once(salt), nonce: SealingKey.nonce(), authenticating: Data(purpose.text.utf8))
        return [Self.version] + salt + box.ciphertext + box.tag
    }

    package func open(_ sealed: [UInt8], for purpose: Purpose) throws -> [UInt8] {
        if let opened = openCurrent(sealed, for: purpose) ?? openEarlier(sealed, for: purpose) { return opened }
        throw KeyVaultError.cannotOpen(purpose.text)
    }

    /// Whether a value was encrypted by version 1, under a key that can be derived from an old master key.
    package func isEarlier(_ sealed: [UInt8], for purpose: Purpose) -> Bool {
        openCurrent(sealed, for: purpose) == nil && openEarlier(sealed, for: purpose) != nil
    }

    private static let version: UInt8 = 2
    private static let tagLength = 16

    private func openCurrent(_ sealed: [UInt8], for purpose: Purpose) -> [UInt8]? {
        let head = 1 + SealingKey.saltLength
        guard sealed.first == Self.version, sealed.count >= head + Self.tagLength, let key = seals[purpose.kind],
            let box = try? AES.GCM.SealedBox(
                nonce: SealingKey.nonce(), ciphertext: sealed[head..<sealed.count - Self.tagLength],
                tag: sealed[(sealed.count - Self.tagLength)...])
        else { return nil }
        let opened = try? AES.GCM.open(
            box, using: key.once(sealed[1..<head]), authenticating: Data(purpose.text.utf8))
        return opened.map { Array($0) }
    }

    /// Decrypts version 1's format: a nonce, the ciphertext and the tag under the only key. Its first byte may have any value, so what
    /// this version can't decrypt is tried with the earlier key.
    private func openEarlier(_ sealed: [UInt8], for purpose: Purpose) -> [UInt8]? {
        guard let earlier, let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return (try? AES.GCM.open(box, using: earlier, authenticating: Data(purpose.text.utf8))).map { Array($0) }
    }
}

/// The key of one kind of values, from which a key for each value is derived.
private struct SealingKey: Sendable {
    static let saltLength = 16
    private static let firstBlock: [UInt8] = [1]
    /// The HMAC after processing its key, so that a derivation costs only one hash of the salt.
    private let prepared: HMAC<SHA256>

    init(_ key: SymmetricKey) {
        prepared = HMAC(key: key)
    }

    /// HKDF-Expand (RFC 5869 section 2.3) of one block, with the salt as its info.
    func once(_ salt: some DataProtocol) -> SymmetricKey {
        var code = prepared
        code.update(data: salt)
        code.update(data: Self.firstBlock)
        return SymmetricKey(data: code.finalize())
    }

    /// The same nonce for all values, because every value has a different key.
    static func nonce() throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12))
    }
}

public enum KeyVaultError: Error, Equatable, CustomStringConvertible {
    case wrongKeyLength(Int)
    case notBase64
    case cannotOpen(String)
    case unsafeFile(path: String, reason: String)
    /// Another process has changed the master key, or is about to change it.
    case changedElsewhere
    /// The new master key equals the current one.
    case sameKey
    /// The database has secrets, but the file with their key does not exist.
    case missingFile(path: String)
    /// The master key was declared lost, but it opens the database.
    case notLost
    /// The master key was declared lost, but its file contains another one.
    case otherKey(path: String)
    /// Nothing in the database is encrypted yet, so there is no master key to lose.
    case nothingSealed

    public var description: String {
        switch self {
        case .wrongKeyLength(let count): "the master key must be 32 bytes in base64, not \(count) bytes"
        case .notBase64: "the master key must be 32 bytes in base64 or base64url"
        case .cannotOpen(let purpose):
            "the master key does not open the \(purpose) of this database: start with the key that it was created with, "
                + "or that `gatehouse rekey` has set since. If that key is lost for good: `gatehouse rekey --lost`"
        case .unsafeFile(let path, let reason): "the key file \(path) \(reason)"
        case .changedElsewhere:
            "another `gatehouse rekey` has changed the master key of this database, or is about to: this one has changed nothing"
        case .sameKey: "the new master key is the present one"
        case .missingFile(let path):
            "the key file \(path) is missing, and its key has sealed secrets of this database: put it back from where you keep "
                + "a copy of it (or say where it is: key-file). If it is lost for good, `gatehouse rekey --lost` makes a new "
                + "key, and says what has to be entered anew"
        case .notLost: "the master key is not lost: it opens this database. `gatehouse rekey` changes it"
        case .otherKey(let path):
            "the key file \(path) holds a key of something else: move it away before the key of this database is given up"
        case .nothingSealed: "nothing is sealed in this database: the first start makes its master key"
        }
    }
}

extension KeyVault {
    /// The kind and the owner of an encrypted value. The text is authenticated with the value. Rows that version 1 encrypted have the
    /// same text, so it must never change.
    package struct Purpose: Sendable, Hashable {
        /// Each kind has a separate key.
        package enum Kind: String, Sendable, CaseIterable {
            case signingKey, outcome, ticketTokens, job, providerSecrets, identityTokens, loginPlan, loginIdentity,
                check, operatorSecret, consoleForm, alertAddress, legacySource, deviceTicket
        }

        package let kind: Kind
        package let text: String

        package init(kind: Kind, text: String) {
            self.kind = kind
            self.text = text
        }

        /// The private key that signs an app's access tokens.
        package static func signingKey(_ id: String, of app: AppID) -> Purpose {
            Purpose(kind: .signingKey, text: "signing key \(id) of \(app)")
        }

        /// The outcome of a call that may be repeated.
        package static func outcome(_ key: String, of owner: String, in app: AppID) -> Purpose {
            Purpose(kind: .outcome, text: "outcome \(key) of \(owner) in \(app)")
        }

        /// The tokens of a ticket's identity.
        package static func ticketTokens(_ ticket: String) -> Purpose {
            Purpose(kind: .ticketTokens, text: "tokens of ticket \(ticket)")
        }

        /// A job's parameters.
        package static func job(_ id: String) -> Purpose {
            Purpose(kind: .job, text: "job \(id)")
        }

        /// An identity provider's secrets, which the operator has entered.
        package static func providerSecrets(_ provider: Provider, in app: AppID) -> Purpose {
            Purpose(kind: .providerSecrets, text: "secrets of \(provider) in \(app)")
        }

        /// The tokens from an identity provider for a member.
        package static func identityTokens(_ provider: Provider, of user: UserID, in app: AppID) -> Purpose {
            Purpose(kind: .identityTokens, text: "tokens of \(provider) of \(user) in \(app)")
        }

        /// The data of a browser login.
        package static func loginPlan(_ attempt: String) -> Purpose {
            Purpose(kind: .loginPlan, text: "plan of login attempt \(attempt)")
        }

        /// The identity that a browser login has brought.
        package static func loginIdentity(_ attempt: String) -> Purpose {
            Purpose(kind: .loginIdentity, text: "identity of login attempt \(attempt)")
        }

        /// The second factor of an operator or of an invitation.
        package static func operatorSecret(_ owner: String) -> Purpose {
            Purpose(kind: .operatorSecret, text: "second factor of \(owner)")
        }

        /// What somebody has typed in the console before the session ended.
        package static let consoleForm = Purpose(kind: .consoleForm, text: "console form")

        /// Where a receiver of alerts is.
        package static func alertAddress(_ receiver: String, in app: AppID) -> Purpose {
            Purpose(kind: .alertAddress, text: "address of alert receiver \(receiver) in \(app)")
        }

        /// The keys of a system that players come from.
        package static func legacySource(_ name: String, of app: AppID) -> Purpose {
            Purpose(kind: .legacySource, text: "source \(name) of \(app)")
        }

        /// The tickets with which devices let the game's own server bring them a player.
        package static func deviceTicket(of app: AppID) -> Purpose {
            Purpose(kind: .deviceTicket, text: "device ticket of \(app)")
        }

        /// The value that shows at the start whether the key belongs to the database.
        package static let check = Purpose(kind: .check, text: "secrets")
    }

    /// The kind and the owner of a keyed hash.
    package struct FingerprintPurpose: Sendable, Hashable {
        /// Each kind has a separate key.
        package enum Kind: String, Sendable, CaseIterable {
            case transferKey, transferDevice, callOwner, callRequest, legacyParty, operatorAttempt
        }

        package let kind: Kind
        package let text: String

        package static func transferKey(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .transferKey, text: "transfer key of \(app)")
        }

        /// A device that tries transfer accounts.
        package static func transferDevice(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .transferDevice, text: "transfer device of \(app)")
        }

        /// A device, a network or an app whose wrong ids of another system are counted.
        package static func legacyParty(of app: AppID) -> FingerprintPurpose {
            FingerprintPurpose(kind: .legacyParty, text: "legacy party of \(app)")
        }

        /// A name, a browser or a network that tries to sign in to the console.
        package static let operatorAttempt = FingerprintPurpose(kind: .operatorAttempt, text: "attempt of an operator")
        /// The owner of an idempotency key.
        package static let callOwner = FingerprintPurpose(kind: .callOwner, text: "owner of calls")
        /// The request that was made with an idempotency key.
        package static let callRequest = FingerprintPurpose(kind: .callRequest, text: "request")
    }
}
