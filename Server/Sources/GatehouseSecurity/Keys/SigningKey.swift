package import Crypto
package import GatehouseJSON
import GatehousePlatform
package import GatehouseWire

/// A key that signs an app's access tokens.
package struct SigningKey: Sendable {
    package let id: String
    package let privateKey: P256.Signing.PrivateKey
    package let publicKey: P256.Signing.PublicKey
    package let createdAt: Moment
    /// When it begins to sign. Before that it is only published, so that game servers know it when its first token arrives.
    package let activeAt: Moment
    /// The header of its tokens.
    package let tokenHeader: String

    package init(id: String, privateKey: P256.Signing.PrivateKey, createdAt: Moment, activeAt: Moment) {
        self.id = id
        self.privateKey = privateKey
        publicKey = privateKey.publicKey
        self.createdAt = createdAt
        self.activeAt = activeAt
        tokenHeader = Self.header(type: "at+jwt", id: id)
    }

    /// The header of other signed documents.
    package func header(type: String) -> String { Self.header(type: type, id: id) }

    private static func header(type: String, id: String) -> String {
        #"{"alg":"ES256","typ":"\#(type)","kid":"\#(id)"}"#
    }

    package var published: PublicKey {
        let bytes = publicKey.rawRepresentation
        return PublicKey(
            x: Base64URL.encode(bytes.prefix(32)), y: Base64URL.encode(bytes.suffix(32)), kid: id, alg: "ES256",
            use: "sig")
    }
}

/// The keys of one app, oldest first.
package struct SigningKeySet: Sendable {
    package let keys: [SigningKey]
    /// The lifetime of an access token. An old key remains valid this long after its successor has taken over.
    package let tokenLifetimeSeconds: Int64

    package init(keys: [SigningKey], tokenLifetimeSeconds: Int64) {
        self.keys = keys
        self.tokenLifetimeSeconds = tokenLifetimeSeconds
    }

    /// The key that signs now: the newest active one. If all keys are in the future, because the clock was set back, the oldest signs,
    /// so that logins are not refused.
    package func signing(at moment: Moment) -> SigningKey? {
        keys.last { $0.activeAt <= moment } ?? keys.first
    }

    /// The keys that may have signed valid tokens, or will sign soon.
    package func published(at moment: Moment) -> [SigningKey] {
        keys.indices.filter { isPublished($0, at: moment) }.map { keys[$0] }
    }

    /// The key that has signed a token.
    ///
    /// - Parameter retired: whether a key will do that has been replaced for longer than its tokens last. One that was revoked is
    ///   not in the set.
    package func verifying(_ id: String, at moment: Moment, retired: Bool = false) -> SigningKey? {
        guard let index = keys.firstIndex(where: { $0.id == id }) else { return nil }
        return retired || isPublished(index, at: moment) ? keys[index] : nil
    }

    private func isPublished(_ index: Int, at moment: Moment) -> Bool {
        guard index + 1 < keys.count else { return true }
        return moment < keys[index + 1].activeAt.adding(seconds: tokenLifetimeSeconds)
    }
}

/// A signed token in compact form (RFC 7515 section 3.1). Only ES256 is accepted, because a token must not choose its algorithm.
package struct CompactJWS {
    private let token: SignedToken

    package var header: StrictJSON.Value { token.header }
    package var claims: StrictJSON.Value { token.claims }

    /// Nil for anything that is not a token of three parts whose first two are JSON objects and whose last is 64 bytes.
    package init?(_ text: String, maximumLength: Int) {
        guard let token = SignedToken(text, maximumLength: maximumLength), token.signature.count == 64 else {
            return nil
        }
        self.token = token
    }

    package func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature) else { return false }
        return key.isValidSignature(signature, for: token.signingInput)
    }

    /// Signs a token. `header` and `claims` are JSON.
    package static func sign(header: String, claims: String, with key: P256.Signing.PrivateKey) throws -> String {
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        let signature = try key.signature(for: Data(input.utf8))
        return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
    }
}

extension P256.Signing.PublicKey {
    /// The key with a JWK's coordinates; nil when they are not a point of the curve.
    package init?(x: String, y: String) {
        guard let x = Base64URL.decode(x), let y = Base64URL.decode(y), x.count == 32, y.count == 32,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { return nil }
        self = key
    }
}

/// An untrusted signed token in compact form (RFC 7515 section 3.1), with any algorithm.
package struct SignedToken: Sendable {
    package let header: StrictJSON.Value
    package let claims: StrictJSON.Value
    package let signingInput: [UInt8]
    package let signature: [UInt8]

    package init?(_ text: String, maximumLength: Int) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumLength else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let header = try? StrictJSON.parse(headerBytes), case .object = header,
            let claims = try? StrictJSON.parse(claimBytes), case .object = claims
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }
}
