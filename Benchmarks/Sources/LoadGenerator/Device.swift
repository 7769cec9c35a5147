public import Crypto
import Foundation
public import GatehouseWire

/// A player's device with its key: it signs proofs, and knows who it is once it has logged in.
public struct Device: Sendable {
    public let key: P256.Signing.PrivateKey
    private let header: String

    public init() {
        let key = P256.Signing.PrivateKey()
        self.key = key
        let point = key.publicKey.rawRepresentation
        let jwk =
            #""kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(point.prefix(32)))","y":"\#(Base64URL.encode(point.suffix(32)))""#
        header = Base64URL.encode(Array(#"{"typ":"dpop+jwt","alg":"ES256","jwk":{\#(jwk)}}"#.utf8))
    }

    /// - Parameter seconds: the issue time, since 1970.
    public func proof(_ method: String, _ url: String, token: String? = nil, at seconds: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        let id = "\(generator.next())-\(generator.next())"
        let ath = token.map { #","ath":"\#(Base64URL.encode(SHA256.hash(data: Data($0.utf8))))""# } ?? ""
        let claims = #"{"jti":"\#(id)","htm":"\#(method)","htu":"\#(url)","iat":\#(seconds)\#(ath)}"#
        let input = "\(header).\(Base64URL.encode(Array(claims.utf8)))"
        let signature = (try? key.signature(for: Data(input.utf8)))?.rawRepresentation ?? Data()
        return "\(input).\(Base64URL.encode(signature))"
    }

    /// A request that carries a proof.
    public func request(
        _ verb: HTTPVerb, _ path: String, origin: String, token: String? = nil, body: String? = nil,
        idempotencyKey: String? = nil, at seconds: Int
    ) -> HTTPRequest {
        var headers = [("DPoP", proof(verb.rawValue, origin + path, token: token, at: seconds))]
        if let token { headers.append(("Authorization", "DPoP \(token)")) }
        if let idempotencyKey { headers.append(("Idempotency-Key", idempotencyKey)) }
        return HTTPRequest(verb.rawValue, path, headers: headers, body: body)
    }
}

/// Makes values on every processor at once: keys and signatures take their time.
public func inParallel<Value: Sendable>(_ count: Int, _ make: @escaping @Sendable (Int) -> Value) -> [Value] {
    let parts = 64
    let results = Results<Value>(parts)
    DispatchQueue.concurrentPerform(iterations: parts) { part in
        let range = (count * part / parts)..<(count * (part + 1) / parts)
        results.set(range.map(make), at: part)
    }
    return results.all
}

private final class Results<Value: Sendable>: @unchecked Sendable {  // Touched with the lock held.
    private let lock = NSLock()
    private var parts: [[Value]]

    init(_ count: Int) { parts = Array(repeating: [], count: count) }

    func set(_ values: [Value], at index: Int) { lock.withLock { parts[index] = values } }
    var all: [Value] { lock.withLock { parts.flatMap { $0 } } }
}
