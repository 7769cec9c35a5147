/// The password of a transfer account.
public struct TransferPassword: WireSecret, ExpressibleByStringLiteral {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
    /// Makes the value from a literal.
    public init(stringLiteral value: String) { secretValue = value }
}

/// An id and a password that move a guest to another device (TRANSFER).
public struct TransferAccount: Codable, Sendable, Hashable {
    /// The id that the player enters on the new device.
    public var id: String
    /// Present only at issue and renewal, because the server keeps only a hash.
    public var password: TransferPassword?
    /// Whether id and password were generated or chosen by the player.
    public var issuedType: TransferIssue
    /// How often it can be redeemed.
    public var transferAccountType: TransferUses
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC; absent for an account that doesn't expire.
    public var expiryDate: Int64?

    /// Makes the value from its parts.
    public init(
        id: String, password: TransferPassword?, issuedType: TransferIssue, transferAccountType: TransferUses,
        registrationDate: Int64, expiryDate: Int64?
    ) {
        self.id = id
        self.password = password
        self.issuedType = issuedType
        self.transferAccountType = transferAccountType
        self.registrationDate = registrationDate
        self.expiryDate = expiryDate
    }
}

/// Who made a transfer account's id and password. An open set.
public struct TransferIssue: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server has generated them.
    public static let automatic = TransferIssue("AUTO")
    /// The player has chosen them.
    public static let manual = TransferIssue("MANUAL")
}

/// How often a transfer account can be redeemed. An open set.
public struct TransferUses: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It can be redeemed once.
    public static let once = TransferUses("ONCE")
    /// It can be redeemed any number of times until it expires.
    public static let unlimited = TransferUses("UNLIMITED")
}

/// How a transfer account is renewed (TRANSFER-4). The old pair becomes invalid at once.
public struct TransferRenewal: Codable, Sendable, Hashable {
    /// Which part is renewed.
    public enum Target: String, Codable, Sendable, Hashable, CaseIterable {
        /// The password; the id stays.
        case password
        /// Both.
        case idAndPassword
    }

    /// Which part is renewed.
    public var target: Target
    /// The id that the player chose; absent when it stays or is generated.
    public var id: String?
    /// The password that the player chose; absent when it is generated.
    public var password: TransferPassword?

    /// The server generates the new values.
    public static func automatic(_ target: Target) -> TransferRenewal { TransferRenewal(target: target) }

    /// The player chooses a new password, which must satisfy the app's policy.
    public static func manual(password: TransferPassword) -> TransferRenewal {
        TransferRenewal(target: .password, password: password)
    }

    /// The player chooses both, which must satisfy the app's policy.
    public static func manual(id: String, password: TransferPassword) -> TransferRenewal {
        TransferRenewal(target: .idAndPassword, id: id, password: password)
    }
}

/// Redeems a transfer account on another device (TRANSFER-6).
public struct TransferRedemption: Codable, Sendable, Hashable {
    /// The id as the player enters it.
    public var id: String
    /// The password as the player enters it.
    public var password: TransferPassword

    /// Makes the value from its parts.
    public init(id: String, password: TransferPassword) {
        self.id = id
        self.password = password
    }
}

/// The details of ``ErrorCode/authTransferAccountBlock`` (3042), in ``ErrorDetails/transferBlock``. The account is blocked after
/// wrong passwords, or the device after wrong ids and passwords of any accounts.
public struct TransferBlock: Codable, Sendable, Hashable {
    /// The id as the player entered it.
    public var accountId: String
    /// Wrong attempts in a row.
    public var failCount: Int
    /// Milliseconds since 1970, UTC.
    public var blockEndDate: Int64
    /// In milliseconds since 1970, UTC: when the transfer account was issued, or, if the device is blocked, the time of its first wrong
    /// attempt.
    public var registrationDate: Int64

    /// Makes the value from its parts.
    public init(accountId: String, failCount: Int, blockEndDate: Int64, registrationDate: Int64) {
        self.accountId = accountId
        self.failCount = failCount
        self.blockEndDate = blockEndDate
        self.registrationDate = registrationDate
    }
}

/// Eight letters that move a guest to another device (TRANSFER-8).
public struct TransferKeySecret: WireSecret, ExpressibleByStringLiteral {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
    /// Makes the value from a literal.
    public init(stringLiteral value: String) { secretValue = value }
}

/// Requests a transfer key.
public struct TransferKeyRequest: Codable, Sendable, Hashable {
    /// How long the key is valid, in seconds.
    public var validSeconds: Int64

    /// Makes the value from its parts.
    public init(validSeconds: Int64) {
        self.validSeconds = validSeconds
    }
}

/// A transfer key, returned only once.
public struct TransferKey: Codable, Sendable, Hashable {
    /// The eight letters that the player enters on the new device.
    public var transferKey: TransferKeySecret
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC.
    public var expiryDate: Int64

    /// Makes the value from its parts.
    public init(transferKey: TransferKeySecret, registrationDate: Int64, expiryDate: Int64) {
        self.transferKey = transferKey
        self.registrationDate = registrationDate
        self.expiryDate = expiryDate
    }
}

/// Redeems a transfer key on another device.
public struct TransferKeyRedemption: Codable, Sendable, Hashable {
    /// The eight letters as the player enters them.
    public var transferKey: TransferKeySecret

    /// Makes the value from its parts.
    public init(transferKey: TransferKeySecret) {
        self.transferKey = transferKey
    }
}
