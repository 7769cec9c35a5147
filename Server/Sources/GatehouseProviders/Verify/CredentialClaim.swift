import Crypto
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// The unique key that allows only one use of a credential.
package enum CredentialClaim: Sendable, Hashable {
    /// A token that could be presented again until it expires. From its first use on it belongs to that device alone: a game may use it
    /// repeatedly for an hour, but a thief can't.
    case token(hash: [UInt8], until: Moment)
    /// The code of a browser login, which is used up by its first use.
    case loginAttempt(String)

    /// A signed token is identified by its signed part, because an ECDSA signature has a second valid form, which would give the token
    /// a second text.
    package static func signed(_ token: ProviderToken, until end: Moment) -> CredentialClaim {
        let text = token.secretValue.utf8
        let input = text[..<(text.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex)]
        return .token(hash: Array(SHA256.hash(data: Data(input))), until: end)
    }

    /// A token that only its provider can interpret is identified by its text.
    package static func opaque(_ token: ProviderToken, until end: Moment) -> CredentialClaim {
        .token(hash: hash(of: token.secretValue), until: end)
    }

    package static func hash(of text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}
