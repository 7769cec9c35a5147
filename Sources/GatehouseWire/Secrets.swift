/// A secret string. Printing, logging or interpolating it shows only its kind.
public protocol WireSecret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    var secretValue: String { get }
    /// Wraps a secret.
    init(_ secretValue: String)
}

extension WireSecret {
    /// Only the kind of secret, such as `<AccessToken>`.
    public var description: String { "<\(Self.self)>" }
    /// Only the kind of secret, such as `<AccessToken>`.
    public var debugDescription: String { description }
    /// Nothing, so that `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(secretValue)
    }
}

/// A short-lived ES256 JWT, bound to the device's key by `cnf.jkt` (RFC 9449 section 6.1).
public struct AccessToken: WireSecret {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// Continues a session without asking the player: opaque, 256 bits, and useless without the device's key.
public struct RefreshToken: WireSecret {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}
