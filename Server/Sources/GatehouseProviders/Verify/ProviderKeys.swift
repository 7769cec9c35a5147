package import Crypto
package import CryptoExtras
package import GatehouseJSON
package import GatehousePlatform
package import GatehouseSecurity
import GatehouseWire

/// The published keys of identity providers, by their URL.
package struct ProviderKeys: Sendable {
    private let sets: CachedDocuments<ProviderKeySet>

    package init(environment: ServerEnvironment, gateway: ProviderGateway) {
        sets = CachedDocuments(environment: environment, gateway: gateway, read: { ProviderKeySet($0) })
    }

    /// The address of the keys, and the share that a fetch uses.
    package struct Place: Sendable {
        package let url: String
        package let share: ProviderGateway.Share
    }

    /// The key named in a token's header, or nil when the provider has none.
    ///
    /// - Parameter isNewer: whether the known key has turned out to be wrong. Then the keys are fetched again, within their allowance.
    /// - Throws: ``IdentityFailure/unavailable`` when the provider has never sent its keys, or too long ago, or does not say whether it
    ///   has this one; ``IdentityFailure/busy`` when it was asked too often for keys that were not known.
    package func key(
        _ wanted: ProviderKeySet.Wanted, at place: Place, isNewer: Bool = false
    ) async throws -> ProviderKey? {
        try await sets.document(
            .init(url: place.url, share: place.share, isEnough: { !isNewer && $0[wanted] != nil }, putsOff: true)
        )[wanted]
    }

    /// The algorithm of each published key: of those that are known here, and of the others.
    package func algorithms(at place: Place) async throws -> (known: [String], others: [String]) {
        let set = try await sets.document(at: place.url, of: place.share)
        return (set.algorithms, set.otherAlgorithms)
    }
}

/// A set of keys as a provider publishes it (RFC 7517 section 5).
package struct ProviderKeySet: Sendable {
    /// The maximum number of keys of one provider; real ones publish two or three.
    private static let maximumKeys = 32

    /// The key named in a token's header.
    package struct Wanted: Sendable {
        /// Nil for a token without a key id, which is valid if exactly one key fits (OpenID Connect Core section 10.1).
        package let id: String?
        package let algorithm: String
    }

    private struct Member: Sendable {
        let id: String?
        let key: ProviderKey
    }

    private let members: [Member]
    /// The algorithms of keys for signatures that are not known here, for operators.
    package let otherAlgorithms: [String]

    /// Nil if the body is not a set of keys, or has no usable one. Members of other kinds are ignored (IDP-5).
    package init?(_ body: Data) {
        guard let document = try? StrictJSON.parse(body), case .array(let keys)? = document["keys"] else { return nil }
        var members: [Member] = []
        var others: [String] = []
        for jwk in keys.prefix(Self.maximumKeys) {
            guard let key = ProviderKey(jwk) else {
                if let name = ProviderKey.otherAlgorithm(of: jwk) { others.append(name) }
                continue
            }
            if let id = jwk["kid"] {
                if let id = id.string { members.append(Member(id: id, key: key)) }
            } else {
                members.append(Member(id: nil, key: key))
            }
        }
        self.members = members
        otherAlgorithms = others
        guard !members.isEmpty else { return nil }
    }

    package var algorithms: [String] { members.map(\.key.algorithm) }

    /// The key with this id and algorithm. If the token or the keys have no id, the only key that fits; nil if several fit.
    package subscript(_ wanted: Wanted) -> ProviderKey? {
        let fitting = members.filter { $0.key.algorithm == wanted.algorithm }
        guard let id = wanted.id else { return fitting.count == 1 ? fitting[0].key : nil }
        if let member = fitting.last(where: { $0.id?.isExactly(id) ?? false }) { return member.key }
        let unnamed = fitting.filter { $0.id == nil }
        return unnamed.count == 1 && fitting.count == 1 ? unnamed[0].key : nil
    }
}

/// A public key of an identity provider. The algorithm is determined by the key, never by the token.
package enum ProviderKey: Sendable {
    case rs256(_RSA.Signing.PublicKey)
    case es256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    package var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .es256: "ES256"
        case .ed25519: "EdDSA"
        }
    }

    package func isValid(_ token: SignedToken) -> Bool {
        switch self {
        case .rs256(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: Data(token.signature)), for: Data(token.signingInput),
                padding: .insecurePKCS1v1_5)
        case .es256(let key):
            guard token.signature.count == 64,
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
            else { return false }
            return key.isValidSignature(signature, for: Data(token.signingInput))
        case .ed25519(let key):
            guard token.signature.count == 64 else { return false }
            return key.isValidSignature(Data(token.signature), for: Data(token.signingInput))
        }
    }

    /// The algorithm's name. `Ed25519` is the newer name of what `EdDSA` means with this curve, the only one that is known here (RFC 9864
    /// section 2.2).
    package static func algorithm(named name: String) -> String { name.isExactly("Ed25519") ? "EdDSA" : name }

    private static let otherCurves = ["P-384": "ES384", "P-521": "ES512", "secp256k1": "ES256K", "Ed448": "Ed448"]

    /// The algorithm of a JWK that is no known key; nil for one that is not for signatures, and for a broken one of a known algorithm.
    static func otherAlgorithm(of jwk: StrictJSON.Value) -> String? {
        if let use = jwk["use"], use.string != "sig" { return nil }
        let name = jwk["alg"]?.string
        // Without `use` the name alone tells a key for encryption (RFC 7518 section 4.1).
        if let name, ["RSA", "ECDH", "A1", "A2", "dir", "PBES"].contains(where: { name.begins(with: $0) }) {
            return nil
        }
        if let curve = jwk["crv"]?.string, let other = otherCurves[curve] { return other }
        guard let name, !OpenIDVerifier.supportedAlgorithms.contains(algorithm(named: name)) else { return nil }
        return name
    }

    /// The key of a JWK (RFC 7517), or nil for one that is not for signatures or of an unknown kind. Such members are ignored, and the
    /// others are used (IDP-5).
    package init?(_ jwk: StrictJSON.Value) {
        if let use = jwk["use"], use.string != "sig" { return nil }
        let algorithm = jwk["alg"]?.string
        switch jwk["kty"]?.string {
        case "RSA":
            guard algorithm == nil || algorithm == "RS256",
                let modulus = jwk["n"]?.string.flatMap({ Base64URL.decode($0) }), (256...1_024).contains(modulus.count),
                let exponent = jwk["e"]?.string.flatMap({ Base64URL.decode($0) }), (1...8).contains(exponent.count),
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            self = .rs256(key)
        case "EC":
            guard algorithm == nil || algorithm == "ES256", jwk["crv"]?.string == "P-256",
                let x = Self.coordinate(jwk["x"]), let y = Self.coordinate(jwk["y"]),
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            self = .es256(key)
        case "OKP":
            guard algorithm.map(Self.algorithm(named:)) ?? "EdDSA" == "EdDSA", jwk["crv"]?.string == "Ed25519",
                let x = jwk["x"]?.string.flatMap({ Base64URL.decode($0) }), x.count == 32,
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
            else { return nil }
            self = .ed25519(key)
        default: return nil
        }
    }

    /// A coordinate of P-256 in 32 bytes. RFC 7518 section 6.2.1.2 asks for all of them, but providers publish one key in 128 without
    /// its leading zeros (glewlwyd 2.7.5 does), and it is the same number.
    private static func coordinate(_ value: StrictJSON.Value?) -> [UInt8]? {
        guard let bytes = value?.string.flatMap({ Base64URL.decode($0) }), (1...32).contains(bytes.count) else {
            return nil
        }
        return Array(repeating: 0, count: 32 - bytes.count) + bytes
    }
}
