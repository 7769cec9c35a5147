/// The password of a transfer account.
public struct TransferPassword: WireSecret, ExpressibleByStringLiteral {
    public let secretValue: String
    public init(_ secretValue: String) { self.secretValue = secretValue }
    public init(stringLiteral value: String) { secretValue = value }
}

/// What moves a guest to another device: an id and a password (TRANSFER).
public struct TransferAccount: Codable, Sendable, Hashable {
    public var id: String
    /// Only at issue and renewal: the server keeps a hash.
    public var password: TransferPassword?
    /// Whether id and password were generated or chosen by the player.
    public var issuedType: TransferIssue
    /// How often it can be redeemed.
    public var transferAccountType: TransferUses
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC; absent for one without an end.
    public var expiryDate: Int64?

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
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let automatic = TransferIssue("AUTO")
    public static let manual = TransferIssue("MANUAL")
}

/// How often a transfer account can be redeemed. An open set.
public struct TransferUses: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let once = TransferUses("ONCE")
    public static let unlimited = TransferUses("UNLIMITED")
}

/// How a transfer account is renewed (TRANSFER-4). The old pair is void at once.
public struct TransferRenewal: Codable, Sendable, Hashable {
    /// What is new.
    public enum Target: String, Codable, Sendable, Hashable, CaseIterable {
        case password
        case idAndPassword
    }

    public var target: Target
    /// The player's own id; absent when it stays or is generated.
    public var id: String?
    /// The player's own password; absent when it is generated.
    public var password: TransferPassword?

    /// The server generates what is new.
    public static func automatic(_ target: Target) -> TransferRenewal { TransferRenewal(target: target) }

    /// The player gives a new password, which must satisfy the app's policy.
    public static func manual(password: TransferPassword) -> TransferRenewal {
        TransferRenewal(target: .password, password: password)
    }

    /// The player gives both, which must satisfy the app's policy.
    public static func manual(id: String, password: TransferPassword) -> TransferRenewal {
        TransferRenewal(target: .idAndPassword, id: id, password: password)
    }
}

/// Redeems a transfer account on another device (TRANSFER-6).
public struct TransferRedemption: Codable, Sendable, Hashable {
    public var id: String
    public var password: TransferPassword

    public init(id: String, password: TransferPassword) {
        self.id = id
        self.password = password
    }
}

/// Why 3042: with the error, in ``ErrorDetail/transferBlock``. Blocked is the account after wrong passwords, or the device after wrong
/// ids and passwords of whatever accounts.
public struct TransferBlock: Codable, Sendable, Hashable {
    /// As it was asked for.
    public var accountId: String
    /// Wrong attempts in a row.
    public var failCount: Int
    /// Milliseconds since 1970, UTC.
    public var blockEndDate: Int64
    /// When the transfer account was issued, or, where the device is blocked, when its first wrong attempt was, in milliseconds since
    /// 1970, UTC.
    public var registrationDate: Int64

    public init(accountId: String, failCount: Int, blockEndDate: Int64, registrationDate: Int64) {
        self.accountId = accountId
        self.failCount = failCount
        self.blockEndDate = blockEndDate
        self.registrationDate = registrationDate
    }
}

/// Eight letters that move a guest to another device (TRANSFER-8).
public struct TransferKeySecret: WireSecret, ExpressibleByStringLiteral {
    public let secretValue: String
    public init(_ secretValue: String) { self.secretValue = secretValue }
    public init(stringLiteral value: String) { secretValue = value }
}

/// Asks for a transfer key.
public struct TransferKeyRequest: Codable, Sendable, Hashable {
    /// How long it is to be valid, in seconds.
    public var validSeconds: Int64

    public init(validSeconds: Int64) {
        self.validSeconds = validSeconds
    }
}

/// A transfer key, shown once.
public struct TransferKey: Codable, Sendable, Hashable {
    public var transferKey: TransferKeySecret
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC.
    public var expiryDate: Int64

    public init(transferKey: TransferKeySecret, registrationDate: Int64, expiryDate: Int64) {
        self.transferKey = transferKey
        self.registrationDate = registrationDate
        self.expiryDate = expiryDate
    }
}

/// Redeems a transfer key on another device.
public struct TransferKeyRedemption: Codable, Sendable, Hashable {
    public var transferKey: TransferKeySecret

    public init(transferKey: TransferKeySecret) {
        self.transferKey = transferKey
    }
}
