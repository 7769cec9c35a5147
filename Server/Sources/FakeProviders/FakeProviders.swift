import Crypto
import CryptoExtras
public import Foundation
public import GatehouseWire
import Synchronization

/// Identity providers of a world of their own, for development and tests: they sign real tokens with their own key and publish
/// it as real ones do, and let in whomever they are told to.
///
/// Each is an OpenID Connect provider with its issuer at `ORIGIN/NAME`.
public final class FakeProviders: Sendable {
    /// The providers that there are.
    public static let names: [Provider] = [
        .google, .apple, .facebook, .line, .naver, .kakaoGame, .twitter, .weibo, .payco, .hangame,
    ]

    public struct Response: Sendable, Hashable {
        public let status: Int
        /// JSON.
        public let body: Data
    }

    private struct State {
        var revoked: [String] = []
        var downUntilTold: Set<Provider> = []
    }

    private let key: FakeSigningKey
    private let nowSeconds: @Sendable () -> Int64
    private let state = Mutex(State())
    private let origin: Mutex<String>

    /// - Parameter origin: where they are reached, such as `http://127.0.0.1:9090`.
    /// - Parameter nowSeconds: the time that tokens are issued at, in seconds since 1970.
    public init(
        origin: String, key: FakeSigningKey, nowSeconds: @escaping @Sendable () -> Int64
    ) {
        self.origin = Mutex(origin)
        self.key = key
        self.nowSeconds = nowSeconds
    }

    /// Where they are reached after all: a port of 0 is known only when it is open.
    public func move(to origin: String) { self.origin.withLock { $0 = origin } }

    public func issuer(of provider: Provider) -> String { "\(origin.withLock { $0 })/\(provider)" }
    public func keysURL(of provider: Provider) -> String { "\(issuer(of: provider))/jwks.json" }
    public func revocationURL(of provider: Provider) -> String { "\(issuer(of: provider))/revoke" }
    /// The client id that every app has at every one of them.
    public func clientID(of provider: Provider) -> String { "gatehouse-\(provider)" }

    /// Access tokens that were revoked, oldest first.
    public var revoked: [String] { state.withLock { $0.revoked } }

    /// Makes a provider fail every call, or work again.
    public func setDown(_ provider: Provider, _ isDown: Bool) {
        state.withLock { state in
            if isDown { state.downUntilTold.insert(provider) } else { state.downUntilTold.remove(provider) }
        }
    }

    /// An ID token for a player. What a test wants to be wrong it changes in `claims` and `header`; a nil takes a member out.
    public func idToken(
        _ provider: Provider, for player: String, claims changed: [String: JSONValue?] = [:],
        header changedHeader: [String: JSONValue?] = [:], signedBy other: FakeSigningKey? = nil
    ) throws -> ProviderToken {
        let now = nowSeconds()
        var claims: [String: JSONValue] = [
            "iss": .string(issuer(of: provider)), "aud": .string(clientID(of: provider)), "sub": .string(player),
            "iat": .integer(now), "exp": .integer(now + 3_600), "name": .string("Player \(player)"),
        ]
        for (name, value) in changed { claims[name] = value }
        var header: [String: JSONValue] = ["alg": "RS256", "typ": "JWT", "kid": .string(key.id)]
        for (name, value) in changedHeader { header[name] = value }
        return ProviderToken(try (other ?? key).sign(header: header, claims: claims))
    }

    /// An access token, of which the providers remember nothing.
    public func accessToken(for player: String) -> ProviderToken {
        ProviderToken("fake-access-\(player)-\(nowSeconds())")
    }

    /// Answers a call of their HTTP interface.
    public func respond(method: String, path: String, body: Data) -> Response {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard let name = parts.first, Self.names.contains(Provider(name)) else { return Self.failure(404, "not_found") }
        let provider = Provider(name)
        guard !state.withLock({ $0.downUntilTold.contains(provider) }) else { return Self.failure(503, "down") }
        switch (method, parts.dropFirst().joined(separator: "/")) {
        case ("GET", ".well-known/openid-configuration"): return Self.json(discovery(provider))
        case ("GET", "jwks.json"): return Self.json(["keys": .array([key.published])])
        case ("POST", "sign-in"): return signIn(provider, body)
        case ("POST", "revoke"): return revoke(body)
        default: return Self.failure(404, "not_found")
        }
    }

    private func discovery(_ provider: Provider) -> JSONValue {
        [
            "issuer": .string(issuer(of: provider)), "jwks_uri": .string(keysURL(of: provider)),
            "revocation_endpoint": .string(revocationURL(of: provider)),
            "id_token_signing_alg_values_supported": ["RS256"], "subject_types_supported": ["public"],
            "response_types_supported": ["id_token"],
        ]
    }

    /// What stands for the provider's own login page: `{"player": "alice", "nonce": "..."}`.
    private func signIn(_ provider: Provider, _ body: Data) -> Response {
        struct SignIn: Decodable {
            let player: String
            let nonce: String?
        }
        guard let request = try? JSONDecoder().decode(SignIn.self, from: body), !request.player.isEmpty else {
            return Self.failure(400, "invalid_request")
        }
        let nonce: [String: JSONValue?] = request.nonce.map { ["nonce": .string($0)] } ?? [:]
        guard let token = try? idToken(provider, for: request.player, claims: nonce) else {
            return Self.failure(500, "server_error")
        }
        return Self.json([
            "id_token": .string(token.secretValue),
            "access_token": .string(accessToken(for: request.player).secretValue),
            "token_type": "Bearer", "expires_in": 3_600,
        ])
    }

    /// RFC 7009: revoking what is not known is no failure.
    private func revoke(_ body: Data) -> Response {
        let form = String(decoding: body, as: UTF8.self).split(separator: "&").map { $0.split(separator: "=") }
        guard let token = form.first(where: { $0.first == "token" })?.dropFirst().first?.removingPercentEncoding else {
            return Self.failure(400, "invalid_request")
        }
        state.withLock { $0.revoked.append(token) }
        return Self.json([:])
    }

    private static func json(_ value: JSONValue, status: Int = 200) -> Response {
        Response(status: status, body: (try? JSONEncoder().encode(value)) ?? Data())
    }

    private static func failure(_ status: Int, _ error: String) -> Response {
        json(["error": .string(error)], status: status)
    }
}
