import Crypto
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Verifies access tokens without a call for each player. Call ``refresh()`` again after the number of seconds that it returns.
///
/// While Gatehouse can't be reached, the last keys and revocations are used for up to an hour. By then every valid token has expired,
/// and all are refused.
public actor TokenChecker {
    /// The claims of a valid token.
    public struct Claims: Decodable, Sendable {
        /// The user id.
        public let sub: String
        /// The session.
        public let sid: String
        /// The identity provider.
        public let idp: String
        public let gen: Int64?
        public let aud: String
        public let iat: Int64
        public let exp: Int64
        /// The signing key, from the token's header.
        fileprivate var key = ""

        private enum CodingKeys: String, CodingKey { case sub, sid, idp, gen, aud, iat, exp }
    }

    /// Why a token is refused.
    public struct Refused: Error, CustomStringConvertible {
        public let description: String
        /// The token may be good, but Gatehouse can't be asked: answer 503 and not 401, or the game logs its player out.
        public var isUnavailable = false
    }

    private struct Revocation: Decodable, Hashable {
        let sub: String
        let sid: String?
        let idp: String?
        let gen: Int64?
        let revokedAt: Int64

        /// Whether the token has all properties of the entry.
        func applies(to claims: Claims) -> Bool {
            if let sid, sid != claims.sid { return false }
            if let idp, idp != claims.idp || claims.iat >= revokedAt { return false }
            return gen.map { claims.gen ?? 0 < $0 } ?? true
        }
    }

    private struct List: Decodable {
        let aud: String
        let iat: Int64
        let everyoneBefore: Int64?
        let revokedKeys: [String]
        let revocations: [Revocation]
    }

    private struct Page: Decodable {
        let revocations: String
        let cursor: String
        let nextSeconds: Int
        let jwks: KeySet
    }

    private struct Failure: Decodable {
        struct Details: Decodable { let reason: String? }
        struct Content: Decodable {
            let code: Int
            let details: Details?
        }
        let error: Content
    }

    private struct KeySet: Decodable {
        struct Key: Decodable { let kid, x, y: String }
        let keys: [Key]
    }

    private static let fetchInterval = Duration.seconds(60)  // Unknown keys cause at most one fetch in that time.
    private static let staleAfter = Duration.seconds(3_600)
    private static let leewaySeconds: Int64 = 30

    private let server: URL
    private let app: String
    private let secret: String
    private let tokenSeconds: Int64
    /// Calls of `ask` that hang must not take the connections of `refresh`.
    private let askSession: URLSession
    private var keys: [String: P256.Signing.PublicKey] = [:]
    private var keysFrom: ContinuousClock.Instant?
    private var listFrom: ContinuousClock.Instant?
    private var tried: ContinuousClock.Instant?
    private var revokedKeys: Set<String> = []
    private var revocations: [String: Set<Revocation>] = [:]
    private var everyoneBefore: Int64 = 0
    private var cursor: String?

    /// - Parameter tokenSeconds: the lifetime of an access token.
    public init(server: URL, app: String, secret: String, tokenSeconds: Int64 = 3_600) {
        self.server = server
        self.app = app
        self.secret = secret
        self.tokenSeconds = tokenSeconds
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        askSession = URLSession(configuration: configuration)
    }

    /// The claims of a valid token. Throws ``Refused`` for any other.
    public func check(_ text: String) async throws -> Claims {
        let token = try Token(text)
        // `refresh` brings all other keys.
        if keys[token.header.kid] == nil, isOld(tried, Self.fetchInterval) {
            tried = .now
            // If the fetch fails, the previous keys are used.
            if let set: KeySet = try? await fetch(URLRequest(url: url("v1/apps/\(app)/jwks.json"))) { try? take(set) }
        }
        guard !isOld(keysFrom, Self.staleAfter) else { throw Refused(description: "stale keys", isUnavailable: true) }
        var claims: Claims = try verified(token, "at+jwt")
        claims.key = token.header.kid
        let now = Int64(Date().timeIntervalSince1970)
        guard claims.aud == app else { throw Refused(description: "for another app") }
        guard claims.exp > now - Self.leewaySeconds else { throw Refused(description: "expired") }
        guard claims.iat < now + Self.leewaySeconds else { throw Refused(description: "of the future") }
        guard !isRevoked(claims) else { throw Refused(description: "revoked") }
        return claims
    }

    /// Whether a valid token has ended before its time, by the last list. For connections that outlive a request.
    public func isRevoked(_ claims: Claims) -> Bool {
        claims.iat < everyoneBefore || revokedKeys.contains(claims.key)
            || revocations[claims.sub, default: []].contains { $0.applies(to: claims) }
    }

    /// Whether the last complete list of revocations is older than this, or there is none.
    public func listIsOlder(than age: Duration) -> Bool { isOld(listFrom, age) }

    /// Asks Gatehouse itself whether a token is valid, for what can't be undone. Throws ``Refused`` for any other.
    public func ask(_ text: String, seconds: Double = 2) async throws {
        let path = "tokens/check"
        let call = try post(path, ["accessToken": text])
        guard let (data, status) = try? await send(call, in: askSession, seconds: seconds) else {
            throw Refused(description: "Gatehouse does not answer", isUnavailable: true)
        }
        guard status != 200 else { return }
        let error = try? JSONDecoder().decode(Failure.self, from: data).error
        guard let error, error.code == 3_011 else {
            throw Refused(description: "\(path) answers \(status)", isUnavailable: true)
        }
        throw Refused(description: error.details?.reason ?? "refused")
    }

    /// Fetches the latest revocations, and returns the number of seconds until the next call.
    public func refresh() async throws -> Int {
        let page: Page = try await fetch(post("revocations", cursor.map { ["cursor": $0] } ?? [:]))
        try take(page.jwks)
        let list: List = try verified(Token(page.revocations), "revocations+jwt")
        guard list.aud == app else { throw Refused(description: "for another app") }
        revokedKeys.formUnion(list.revokedKeys)
        for entry in list.revocations { revocations[entry.sub, default: []].insert(entry) }
        everyoneBefore = max(everyoneBefore, list.everyoneBefore ?? 0)
        cursor = page.cursor
        // Tokens from before that time have expired.
        let oldest = list.iat - tokenSeconds - 60
        revocations = revocations.mapValues { $0.filter { $0.revokedAt >= oldest } }.filter { !$0.value.isEmpty }
        if page.nextSeconds > 0 { listFrom = .now }
        return page.nextSeconds
    }

    private func isOld(_ time: ContinuousClock.Instant?, _ age: Duration) -> Bool {
        time.map { .now - $0 > age } ?? true
    }

    private func take(_ set: KeySet) throws {
        let fresh = try set.keys.map { key in
            guard let x = Data(base64URL: key.x), let y = Data(base64URL: key.y) else {
                throw Refused(description: "a key can't be read")
            }
            return (key.kid, try P256.Signing.PublicKey(rawRepresentation: x + y))
        }
        keys = Dictionary(fresh) { $1 }
        keysFrom = .now
    }

    private func verified<Value: Decodable>(_ token: Token, _ kind: String) throws -> Value {
        guard token.header.alg == "ES256", token.header.typ == kind else {
            throw Refused(description: "another kind of token")
        }
        guard let key = keys[token.header.kid], !revokedKeys.contains(token.header.kid) else {
            throw Refused(description: "unknown key")
        }
        guard key.isValidSignature(token.signature, for: token.signed) else { throw Refused(description: "forged") }
        do {
            return try JSONDecoder().decode(Value.self, from: token.claims)
        } catch {
            throw Refused(description: "a claim is missing")
        }
    }

    private func url(_ path: String) -> URL { server.appendingPathComponent(path) }

    private func post(_ path: String, _ body: [String: String]) throws -> URLRequest {
        var request = URLRequest(url: url("v1/server/apps/\(app)/\(path)"))
        request.httpMethod = "POST"
        request.setValue(secret, forHTTPHeaderField: "X-Secret-Key")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        return request
    }

    private func send(
        _ request: URLRequest, in session: URLSession = .shared, seconds: Double = 10
    ) async throws -> (Data, status: Int) {
        var request = request
        request.timeoutInterval = seconds
        let (data, response) = try await session.data(for: request)
        return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
    }

    private func fetch<Value: Decodable>(_ request: URLRequest) async throws -> Value {
        let (data, status) = try await send(request)
        guard status != 401, status != 403 else {
            throw Refused(
                description: "the server answers \(status): is the secret key this app's, with the scope check?")
        }
        guard status == 200 else { throw Refused(description: "the server answers \(status)") }
        return try JSONDecoder().decode(Value.self, from: data)
    }
}

/// A parsed JWT that has not been verified.
private struct Token {
    struct Header: Decodable { let alg, typ, kid: String }

    let header: Header
    let claims: Data
    let signed: Data
    let signature: P256.Signing.ECDSASignature

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let bytes = Data(base64URL: parts[0]), let claims = Data(base64URL: parts[1]),
            let header = try? JSONDecoder().decode(Header.self, from: bytes),
            let raw = Data(base64URL: parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
        else { throw TokenChecker.Refused(description: "no token") }
        self.header = header
        self.claims = claims
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }
}

extension Data {
    fileprivate init?(base64URL text: String) {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
