import Crypto
import GatehouseJSON
import GatehousePlatform
public import GatehouseWire
import Synchronization

/// A verified proof of possession (RFC 9449): the sender of the call has the device's private key.
package struct Proof: Sendable, Hashable {
    /// The key's RFC 7638 thumbprint.
    package let key: KeyThumbprint
    /// A hash over the key and the proof's `jti`, which makes this proof usable only once.
    package let id: [UInt8]
    /// Milliseconds since 1970, by the device's estimate of the server's clock.
    package let issuedAt: Int64
    /// The public origin at which the device reaches this server, such as `https://login.example.com`, in its normal form.
    package let origin: String

    package init(key: KeyThumbprint, id: [UInt8], issuedAt: Int64, origin: String) {
        self.key = key
        self.id = id
        self.issuedAt = issuedAt
        self.origin = origin
    }
}

/// The call that a proof must be for.
package struct ProofTarget: Sendable {
    package let method: String
    /// The path as the client sent it.
    package let path: String
    /// The token that is sent with the proof, if any.
    package let token: String?

    package init(method: String, path: String, token: String?) {
        self.method = method
        self.path = path
        self.token = token
    }
}

/// Verifies proofs in the order of RFC 9449 section 4.3. ``ReplayGuard`` checks whether one was used before, and for changing calls the
/// database does too.
package struct ProofVerifier: Sendable {
    /// How far the proof's time may differ from the server's, backwards and forwards.
    package static let pastSeconds: Int64 = 60
    package static let futureSeconds: Int64 = 30

    package let origins: PublicOrigins

    package init(origins: PublicOrigins) {
        self.origins = origins
    }

    package func verify(_ text: String, for target: ProofTarget, at moment: Moment) throws(ProofFailure) -> Proof {
        guard let token = CompactJWS(text, maximumLength: 4_096) else { throw .malformed("not a signed token") }
        guard token.header["typ"]?.string == "dpop+jwt" else { throw .malformed("typ must be dpop+jwt") }
        guard token.header["alg"]?.string == "ES256" else { throw .malformed("alg must be ES256") }
        guard token.header["crit"] == nil else { throw .malformed("crit is not understood") }
        guard let jwk = token.header["jwk"], jwk["kty"]?.string == "EC", jwk["crv"]?.string == "P-256",
            jwk["d"] == nil, let x = jwk["x"]?.string, let y = jwk["y"]?.string,
            let key = P256.Signing.PublicKey(x: x, y: y)
        else { throw .malformed("jwk must be a public P-256 key") }
        guard let id = token.claims["jti"]?.string, (8...128).contains(id.utf8.count) else {
            throw .malformed("jti must have 8 to 128 bytes")
        }
        guard let method = token.claims["htm"]?.string, let url = token.claims["htu"]?.string else {
            throw .malformed("htm and htu must be strings")
        }
        guard let issuedAt = token.claims["iat"]?.integer, (0...253_402_300_799).contains(issuedAt) else {
            throw .malformed("iat must be whole seconds")
        }
        guard token.isSigned(by: key) else { throw .malformed("the signature does not verify") }
        guard method == target.method else { throw .mismatch("htm is for another method") }
        guard let origin = self.origin(of: url, path: target.path) else { throw .mismatch("htu is for another URL") }
        let hash = token.claims["ath"]?.string
        guard hash == target.token.map(Self.tokenHash) else { throw .mismatch("ath is not of the token") }
        let seconds = moment.milliseconds / 1_000
        guard issuedAt >= seconds - Self.pastSeconds, issuedAt <= seconds + Self.futureSeconds else { throw .stale }
        let thumbprint = Self.thumbprint(PublicKey(x: x, y: y))
        return Proof(
            key: thumbprint, id: Array(SHA256.hash(data: Data("\(thumbprint)\0\(id)".utf8)).prefix(16)),
            issuedAt: issuedAt * 1_000, origin: origin.text)
    }

    /// The origin of a proof's URL; nil if it is the URL of another call. Both are compared in their normal forms, without a query (RFC 9449
    /// section 4.3).
    private func origin(of url: String, path: String) -> WebOrigin? {
        if url.ends(with: path) {
            let start = url.utf8.index(url.endIndex, offsetBy: -path.utf8.count)
            if let origin = origins.origin(spelled: url[..<start]) { return origin }
        }
        guard let address = WebAddress(url), let path = WebAddress.normalForm(ofPath: path),
            origins.contains(address.origin), address.path.utf8.elementsEqual(path.utf8)
        else { return nil }
        return address.origin
    }

    package static func tokenHash(_ token: String) -> String { Base64URL.encode(SHA256.hash(data: Data(token.utf8))) }

    package static func thumbprint(_ key: PublicKey) -> KeyThumbprint {
        KeyThumbprint(Base64URL.encode(SHA256.hash(data: Data(key.thumbprintInput.utf8))))
    }
}

/// Why a proof is refused. The call's own rule determines the code: a guest login fails with another code than a heartbeat.
package enum ProofFailure: Error, Equatable {
    case missing
    case malformed(String)
    case stale
    case replayed
    case mismatch(String)

    package var reason: ErrorReason {
        switch self {
        case .missing: .proofMissing
        case .malformed: .proofMalformed
        case .stale: .proofStale
        case .replayed: .proofReplayed
        case .mismatch: .proofMismatch
        }
    }

    package var message: String {
        switch self {
        case .missing: "The call needs exactly one DPoP header with a proof by the device's key."
        case .malformed(let what): "The proof is refused: \(what)."
        case .stale: "The proof's time is not the server's: sign by serverDate."
        case .replayed: "The proof was used before: sign a new one for each call."
        case .mismatch(let what): "The proof is refused: \(what)."
        }
    }

    package func refusal(_ code: ErrorCode, at moment: Moment) -> Refusal {
        Refusal(
            code, message, reason: reason, details: ErrorDetails(serverDate: moment.milliseconds),
            httpStatus: 401, audit: "proof.refused")
    }
}

/// Remembers this process's proofs for as long as they could be used again, in two generations of one window each. So memory is limited
/// by the rate of calls, and no clean-up stops all calls.
///
/// The proof of a changing call is also claimed in the database (``ProofQueries``), in the change's transaction, which makes it
/// single-use over all nodes and restarts.
package final class ReplayGuard: Sendable {
    private struct Generations {
        var current: Set<UInt64> = []
        var previous: Set<UInt64> = []
        var turnsAt: Int64
    }

    private let windowMilliseconds = (ProofVerifier.pastSeconds + ProofVerifier.futureSeconds) * 1_000
    private let generations: Mutex<Generations>

    package init() {
        generations = Mutex(Generations(turnsAt: .min))
    }

    /// False when the proof was claimed before. Only 64 bits of its hash are kept: a collision costs one retry.
    package func claim(_ proof: Proof, at moment: Moment) -> Bool {
        let key = proof.id.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return generations.withLock { generations in
            if moment.milliseconds >= generations.turnsAt {
                let isOneTurn = moment.milliseconds < generations.turnsAt.addingReportingOverflow(windowMilliseconds).0
                generations.previous = isOneTurn ? generations.current : []
                generations.current = []
                generations.turnsAt = moment.milliseconds + windowMilliseconds
            }
            guard !generations.previous.contains(key) else { return false }
            return generations.current.insert(key).inserted
        }
    }
}

/// The origins at which clients reach this server. A proof must be for one of them; the `Host` header is ignored (NET-2).
public enum PublicOrigins: Sendable, Hashable {
    /// Only these, such as `https://login.example.com`.
    case only(Set<WebOrigin>)
    /// This machine's own names, at any port, for a server that only this machine can reach, even through forwarded ports.
    case loopback

    /// Reads the origins of a setting; nil if there are none, or if one of them can't be read.
    public init?(_ texts: [String]) {
        let origins = texts.compactMap { WebOrigin($0) }
        guard !origins.isEmpty, origins.count == texts.count else { return nil }
        self = .only(Set(origins))
    }

    /// Those that are set, in the order of their texts; none if it is this machine at any port.
    public var all: [WebOrigin] {
        switch self {
        case .only(let origins): origins.sorted { $0.text < $1.text }
        case .loopback: []
        }
    }

    /// Whether calls to an origin cross the internet unencrypted (NET-3): plain HTTP to a host that is neither this machine nor an
    /// address of a private network.
    public static func isExposed(_ origin: WebOrigin) -> Bool {
        guard !origin.isSecure else { return false }
        if origin.host == "localhost" || origin.host.ends(with: ".localhost") { return false }
        return ClientAddress(origin.host).map(AddressGuard.isPublic) ?? true
    }

    /// Whether no other machine can be meant by any of them.
    package var areOfThisMachine: Bool {
        switch self {
        case .loopback: true
        case .only(let origins): origins.allSatisfy { Networks.isLoopback(authority: $0.host) }
        }
    }

    /// The origin that a text means, if clients may reach this server there; nil for every other text.
    package func origin(_ text: some StringProtocol) -> WebOrigin? {
        WebOrigin(text).flatMap { contains($0) ? $0 : nil }
    }

    /// The one of those that are set whose normal form a text is. Nearly every client sends that form, and comparing bytes costs less than
    /// reading an origin.
    func origin(spelled text: Substring) -> WebOrigin? {
        guard case .only(let origins) = self else { return nil }
        return origins.first { $0.text.utf8.elementsEqual(text.utf8) }
    }

    package func contains(_ origin: WebOrigin) -> Bool {
        switch self {
        case .only(let origins): origins.contains(origin)
        case .loopback: ["127.0.0.1", "localhost", "[::1]"].contains(origin.host)
        }
    }
}
