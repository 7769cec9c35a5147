import Crypto
import Foundation
import GatehouseWire

/// A signed token in compact form (RFC 7515 section 3.1) with ES256, and nothing else: the algorithm is ours to choose,
/// never the token's.
struct CompactJWS {
    let header: StrictJSON.Value
    let claims: StrictJSON.Value
    private let signingInput: [UInt8]
    private let signature: [UInt8]

    /// Nil for anything that is not a token of three parts whose first two are JSON objects and whose last is 64 bytes.
    init?(_ text: String, maximumLength: Int) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumLength else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            signature.count == 64, let header = try? StrictJSON.parse(headerBytes), case .object = header,
            let claims = try? StrictJSON.parse(claimBytes), case .object = claims
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signingInput = Array(bytes[..<parts[1].endIndex])
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: signingInput)
    }

    /// Signs a token. `header` and `claims` are JSON.
    static func sign(header: String, claims: String, with key: P256.Signing.PrivateKey) throws -> String {
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        let signature = try key.signature(for: Data(input.utf8))
        return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
    }
}

extension P256.Signing.PublicKey {
    /// The key of a JWK's coordinates; nil when they are not a point of the curve.
    init?(x: String, y: String) {
        guard let x = Base64URL.decode(x), let y = Base64URL.decode(y), x.count == 32, y.count == 32,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { return nil }
        self = key
    }
}
