/// A string of the contract that identifies one kind of thing. A separate type for each kind prevents that an app id is used as a user
/// id.
public protocol WireIdentifier: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable,
    CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension WireIdentifier {
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }
}

/// Identifies a game. It is public: every URL contains it.
public struct AppID: WireIdentifier, ExpressibleByStringLiteral {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }
}

/// Identifies a player account of an app: 16 letters of ``UserID/alphabet``. Ids ascend in the order in which members registered.
public struct UserID: WireIdentifier {
    /// The letters of a user id, in ascending order, without look-alikes (Gamebase, "oper-member").
    public static let alphabet = "1346789ABCDFGHJKLMNPQRSTWXYZ"
    /// The number of letters of every user id.
    public static let length = 16

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Identifies a login on a device.
public struct SessionID: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The RFC 7638 SHA-256 thumbprint of a device's public key: 43 characters of base64url. It is public.
public struct KeyThumbprint: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Identifies a call in logs and errors.
public struct TransactionID: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An identity provider. An open set: an operator may add OpenID providers, and a newer server may have more.
public struct Provider: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let guest = Provider("guest")
    public static let google = Provider("google")
    public static let apple = Provider("appleid")
    public static let gameCenter = Provider("iosgamecenter")
    public static let facebook = Provider("facebook")
    public static let line = Provider("line")
    public static let naver = Provider("naver")
    /// Kakao Login. `kakaogame` is the partners' variant.
    public static let kakao = Provider("kakao")
    public static let kakaoGame = Provider("kakaogame")
    public static let twitter = Provider("twitter")
    public static let weibo = Provider("weibo")
    public static let payco = Provider("payco")
    public static let hangame = Provider("hangame")
}
