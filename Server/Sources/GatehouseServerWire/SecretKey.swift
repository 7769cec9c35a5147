public import GatehouseWire

/// A game server's credential: `gsk_` and 32 random bytes in base64url. A game's client must never have it.
public struct SecretKey: WireSecret {
    /// The key itself: for the header ``GatehouseWire/HeaderNames/secretKey`` and for hashing, never for a log.
    public let secretValue: String
    /// Wraps the text of a secret key.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// What a game server may do with a secret key. A key has one or more scopes; an app's own keys have all.
public enum SecretKeyScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// Check access tokens and transfer accounts, fetch which tokens have ended, and read whether the game is in service.
    case check
    /// Ban, release and kick out members, register grace bans, report payments, and read the histories of bans.
    case moderate
    /// Withdraw members, and read the history of withdrawals.
    case erase
    /// Read members: their mappings, devices and dates, and what their identity providers have reported.
    case profile
    /// Bring players of another system to devices, without their credentials there.
    case migrate
}

extension HeaderNames {
    /// The header with a game server's ``SecretKey``.
    public static let secretKey = "X-Secret-Key"
}
