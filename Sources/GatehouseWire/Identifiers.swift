/// A string of the contract that identifies one kind of thing. A separate type for each kind prevents that an app id is used as a user
/// id.
public protocol WireIdentifier: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable,
    CustomStringConvertible
where RawValue == String {
    /// Wraps a value of the wire.
    init(rawValue: String)
}

extension WireIdentifier {
    /// Wraps a value of the wire.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    /// The value on the wire.
    public var description: String { rawValue }
}

/// Identifies a game. It is public: every URL contains it.
public struct AppID: WireIdentifier, ExpressibleByStringLiteral {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes the value from a literal.
    public init(stringLiteral value: String) { rawValue = value }
}

/// Identifies a player account of an app: 16 letters of ``UserID/alphabet``. Ids ascend in the order in which members registered.
public struct UserID: WireIdentifier, ExpressibleByStringLiteral {
    /// The letters of a user id, in ascending order, without look-alikes (Gamebase, "oper-member").
    public static let alphabet = "1346789ABCDFGHJKLMNPQRSTWXYZ"
    /// The number of letters of every user id.
    public static let length = 16

    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes the value from a literal.
    public init(stringLiteral value: String) { rawValue = value }
}

/// Identifies a login on a device.
public struct SessionID: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The RFC 7638 SHA-256 thumbprint of a device's public key: 43 characters of base64url. It is public.
public struct KeyThumbprint: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Identifies a call in logs and errors.
public struct TransactionID: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An identity provider. An open set: an operator may add OpenID providers, and a newer server may have more.
public struct Provider: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No identity provider: the device's own key is the identity.
    public static let guest = Provider("guest")
    /// Google.
    public static let google = Provider("google")
    /// Sign in with Apple.
    public static let apple = Provider("appleid")
    /// Apple's Game Center.
    public static let gameCenter = Provider("iosgamecenter")
    /// Facebook.
    public static let facebook = Provider("facebook")
    /// LINE.
    public static let line = Provider("line")
    /// Naver.
    public static let naver = Provider("naver")
    /// Kakao Login. `kakaogame` is the partners' variant.
    public static let kakao = Provider("kakao")
    /// Kakao Games.
    public static let kakaoGame = Provider("kakaogame")
    /// X, formerly Twitter.
    public static let twitter = Provider("twitter")
    /// Weibo.
    public static let weibo = Provider("weibo")
    /// PAYCO.
    public static let payco = Provider("payco")
    /// Hangame.
    public static let hangame = Provider("hangame")
}
