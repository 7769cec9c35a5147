import Crypto
import Foundation
import GatehouseWire

/// A proof of possession (RFC 9449 section 4.2): the device's key signs one call.
struct Proof: Sendable {
    let method: String
    /// The URL as it is sent, without a query.
    let url: String
    /// The token that is sent with the proof, if any.
    let token: String?
    /// Milliseconds since 1970, by the server's clock.
    let date: Int64

    func signed(by key: StoredKey, randomBytes: (Int) -> [UInt8]) throws -> String {
        let jwk = key.publicKey
        let header = Header(jwk: .init(kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y))
        let claims = Claims(
            jti: Base64URL.encode(randomBytes(16)), htm: method, htu: url, iat: date / 1_000,
            ath: token.map { Base64URL.encode(SHA256.hash(data: Data($0.utf8))) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let input = "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(try encoder.encode(claims)))"
        return "\(input).\(try key.sign(input))"
    }

    private struct Header: Encodable {
        var typ = "dpop+jwt"
        var alg = "ES256"
        let jwk: Key
    }

    private struct Key: Encodable {
        let kty: String
        let crv: String
        let x: String
        let y: String
    }

    private struct Claims: Encodable {
        let jti: String
        let htm: String
        let htu: String
        let iat: Int64
        let ath: String?
    }
}

/// The server's time, taken from its answers. The device's wall clock is used only until the first answer. From then on the monotonic
/// clock measures the time, because a player can't set it.
final class ServerClock: Sendable {
    private let environment: GatehouseClient.Environment
    private let offset = Locked<Int64?>(nil)

    init(_ environment: GatehouseClient.Environment) {
        self.environment = environment
    }

    /// Milliseconds since 1970.
    var now: Int64 {
        guard let offset = offset.withLock({ $0 }) else { return environment.wallMilliseconds() }
        return environment.monotonicMilliseconds() &+ offset
    }

    func synchronize(with serverDate: Int64) {
        let monotonic = environment.monotonicMilliseconds()
        offset.withLock { $0 = serverDate &- monotonic }
    }
}
