import Crypto
import CryptoExtras
public import Foundation
public import GatehouseWire
import Synchronization

/// Identity providers of a world of their own, for development and tests: with the real ones' paths, forms and oddities, signing
/// with their own keys, and letting in whomever they are told to.
///
/// What is at `https://HOST/PATH` in the real world is at `ORIGIN/HOST/PATH` here.
public final class FakeProviders: Sendable {
    /// The providers that there are. `studio` stands for any OpenID Connect provider that an operator adds.
    public static let names: [Provider] = [
        .google, .apple, .gameCenter, .facebook, .line, .naver, .kakao, .kakaoGame, .twitter, .weibo, .payco, .hangame,
        .studio,
    ]

    /// Those with a page to log in at.
    public static let withPages = names.filter { $0 != .gameCenter }

    struct State {
        var revoked: [String] = []
        var faults: [Provider: FakeFault] = [:]
        /// Of providers that have changed theirs.
        var keys: [Provider: [FakeSigningKey]] = [:]
        var codes: [String: Grant] = [:]
        /// Who has been here: the login page offers them.
        var players = ["alice", "bob", "carol"]
        /// Apple tells a name once.
        var named: Set<String> = []
        var requests: [Provider: Int] = [:]
        /// Where each sends players back to, where it is strict about that.
        var callbacks: [Provider: [String]] = [:]
        /// Ids of client assertions that have been used.
        var assertions: Set<String> = []
        /// What ``FakeProviders/studio`` says of itself beside what it must.
        var discovery: [String: JSONValue] = [:]
        /// What Game Center's places show in place of its own.
        var gameCenter: FakeCertificates?
        /// The issuer that its discovery document names.
        var discoveryIssuer: String?
    }

    /// What a player has allowed at a login page.
    struct Grant {
        let provider: Provider
        let player: String
        let clientID: String
        let redirect: String?
        let nonce: String?
        let challenge: String?
    }

    let key: FakeSigningKey
    let lineKey: P256.Signing.PrivateKey
    let appleTeamKey: P256.Signing.PrivateKey
    /// What a client of `studio` signs with in place of a secret (`private_key_jwt`).
    let clientKey: P256.Signing.PrivateKey
    let gameCenter: FakeGameCenter
    let nowSeconds: @Sendable () -> Int64
    let state = Mutex(State())
    private let place: Mutex<String>

    /// - Parameter origin: where they are reached, such as `http://127.0.0.1:9090`.
    /// - Parameter others: providers whose keys these have too, so that what was configured for those fits these.
    /// - Parameter nowSeconds: the time that tokens are issued at, in seconds since 1970.
    public init(
        origin: String, key: FakeSigningKey, keysOf others: FakeProviders? = nil,
        nowSeconds: @escaping @Sendable () -> Int64
    ) {
        place = Mutex(origin)
        self.key = key
        self.nowSeconds = nowSeconds
        lineKey = others?.lineKey ?? P256.Signing.PrivateKey()
        appleTeamKey = others?.appleTeamKey ?? P256.Signing.PrivateKey()
        clientKey = others?.clientKey ?? P256.Signing.PrivateKey()
        gameCenter = others?.gameCenter ?? FakeGameCenter(key: key, at: nowSeconds())
    }

    /// Where they are reached: `http://127.0.0.1:PORT`. `https://HOST/PATH` of the real world is at `ORIGIN/HOST/PATH`.
    public var origin: String { place.withLock { $0 } }

    /// Where they are reached after all: a port of 0 is known only when it is open.
    public func move(to origin: String) { place.withLock { $0 = origin } }

    /// The issuer that ID tokens name: the real one's.
    public func issuer(of provider: Provider) -> String {
        switch provider {
        case .google: "https://accounts.google.com"
        case .apple: "https://appleid.apple.com"
        case .facebook: "https://www.facebook.com"
        case .line: "https://access.line.me"
        case .kakao: "https://kauth.kakao.com"
        default: "https://id.\(provider).example"
        }
    }

    /// The client id that every app has at every one of them; at Game Center, the bundle id.
    public func clientID(of provider: Provider) -> String { "gatehouse-\(provider)" }
    /// What goes with ``clientID(of:)``: it is no secret.
    public func clientSecret(of provider: Provider) -> String { "secret-of-\(provider)" }
    /// Kakao's.
    public var adminKey: String { "fake-admin-key" }
    /// Kakao's number of the app.
    static let kakaoAppID = "424242"

    /// Tokens that were revoked, oldest first; persons whose consent ended without one as `PROVIDER:SUBJECT`.
    public var revoked: [String] { state.withLock { $0.revoked } }

    /// How often a provider was asked for anything.
    public func requests(to provider: Provider) -> Int { state.withLock { $0.requests[provider, default: 0] } }

    /// Makes a provider fail, or be well again.
    public func set(_ fault: FakeFault?, for provider: Provider) {
        state.withLock { $0.faults[provider] = fault }
    }

    /// Has `studio` name members in its discovery document beside those that it must have, such as
    /// `token_endpoint_auth_methods_supported`: it then holds its clients to them.
    public func setDiscovery(_ members: [String: JSONValue], issuer: String? = nil) {
        state.withLock { state in
            state.discovery = members
            state.discoveryIssuer = issuer
        }
    }

    /// The private key, as PEM, that stands for the secret of a client of `studio` where it takes `private_key_jwt`.
    public var clientKeyPEM: String { clientKey.pemRepresentation }

    /// The root, as PEM, that Game Center's signer leads to.
    public var gameCenterRoot: String { gameCenter.root }

    /// Has a provider know these callbacks and no other.
    public func setCallbacks(_ callbacks: [String], of provider: Provider) {
        state.withLock { $0.callbacks[provider] = callbacks }
    }

    /// Makes a provider fail every call, or work again.
    public func setDown(_ provider: Provider, _ isDown: Bool) { set(isDown ? .down : nil, for: provider) }

    /// Gives a provider a new key. The old one is published no more.
    public func rotateKey(of provider: Provider) throws {
        setKeys([try FakeSigningKey(id: "fake-\(UInt32(truncatingIfNeeded: nowSeconds()))-\(provider)")], of: provider)
    }

    /// The keys that a provider publishes from now on. The first signs.
    public func setKeys(_ keys: [FakeSigningKey], of provider: Provider) {
        state.withLock { $0.keys[provider] = keys }
    }

    func key(of provider: Provider) -> FakeSigningKey { state.withLock { $0.keys[provider]?.first } ?? key }

    /// How a provider names a person: some by numbers.
    public func subject(of player: String, at provider: Provider) -> String {
        switch provider {
        case .kakao, .weibo, .twitter:
            let digest = SHA256.hash(data: Data("\(provider) \(player)".utf8))
            return String(digest.prefix(6).reduce(UInt64(1)) { $0 << 8 | UInt64($1) })
        case .gameCenter: return "T:_\(player)"
        default: return player
        }
    }

    // MARK: What providers issue

    /// An ID token for a player. What a test wants to be wrong it changes in `claims` and `header`; a nil takes a member out.
    public func idToken(
        _ provider: Provider, for player: String, claims changed: [String: JSONValue?] = [:],
        header changedHeader: [String: JSONValue?] = [:], signedBy other: FakeSigningKey? = nil
    ) throws -> ProviderToken {
        var claims = claims(provider, of: player)
        for (name, value) in changed { claims[name] = value }
        let key = other ?? key(of: provider)
        var header: [String: JSONValue] = ["alg": .string(key.algorithm), "typ": "JWT", "kid": .string(key.id)]
        if provider == .line, other == nil { header = ["alg": "ES256", "typ": "JWT", "kid": "line-1"] }
        for (name, value) in changedHeader { header[name] = value }
        let input = try FakeJWS.input(header: header, claims: claims)
        let signature = provider == .line && other == nil ? try FakeJWS.sign(input, with: lineKey) : try key.sign(input)
        return ProviderToken("\(input).\(Base64URL.encode(signature))")
    }

    func claims(_ provider: Provider, of player: String) -> [String: JSONValue] {
        let now = nowSeconds()
        let isForOthers = state.withLock { $0.faults[provider] } == .wrongAudience
        var claims: [String: JSONValue] = [
            "iss": .string(issuer(of: provider)),
            "aud": .string(isForOthers ? "somebody-else" : clientID(of: provider)),
            "sub": .string(subject(of: player, at: provider)), "iat": .integer(now), "exp": .integer(now + 3_600),
            "name": .string("Player \(player)"), "email": .string("\(player)@example.com"),
            "jti": .string(FakeJWS.nonce()),
        ]
        if provider == .apple {
            // Apple tells no name, and sends its truth values as strings now and then.
            claims["name"] = nil
            claims["email_verified"] = "true"
            claims["is_private_email"] = "false"
            claims["nonce_supported"] = true
        }
        return claims
    }

    /// An access token: it says by itself whose it is.
    ///
    /// - Parameter nonce: what tells it from others of the same second.
    public func accessToken(
        _ provider: Provider, for player: String, clientID: String? = nil, kind: String = "access", nonce: String = ""
    ) -> ProviderToken {
        let isForOthers = state.withLock { $0.faults[provider] } == .wrongAudience
        let client = clientID ?? (isForOthers ? "somebody-else" : self.clientID(of: provider))
        let parts = [kind, provider.rawValue, player, client, String(nowSeconds()), nonce]
        return ProviderToken("fake.\(Base64URL.encode(parts.joined(separator: "\n").utf8))")
    }

    /// What a provider's own library would hand to a game.
    public func credential(_ provider: Provider, for player: String) throws -> Credential {
        var credential = Credential(provider: provider)
        switch provider {
        case .gameCenter: credential.gameCenter = try gameCenter.proof(for: player, at: nowSeconds())
        case .google, .line, .studio: credential.idToken = try idToken(provider, for: player)
        case .apple, .naver, .twitter, .payco:
            if provider == .apple { credential.idToken = try idToken(provider, for: player) }
            credential.authorizationCode = code(
                Grant(
                    provider: provider, player: player, clientID: clientID(of: provider), redirect: nil, nonce: nil,
                    challenge: nil))
        default: credential.accessToken = accessToken(provider, for: player, nonce: FakeJWS.nonce())
        }
        return credential
    }

    func code(_ grant: Grant) -> ProviderToken {
        let code = "fake-code-\(FakeJWS.nonce())"
        state.withLock { state in
            state.codes[code] = grant
            if !state.players.contains(grant.player) { state.players = state.players.suffix(11) + [grant.player] }
        }
        return ProviderToken(code)
    }

    /// Whose a token is, while it lives.
    struct TokenOwner {
        let kind: String
        let provider: Provider
        let player: String
        let clientID: String
        let issuedAt: Int64
    }

    func owner(of token: String, at provider: Provider) -> TokenOwner? {
        guard token.hasPrefix("fake."), let bytes = Base64URL.decode(token.dropFirst(5).utf8) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard (5...6).contains(parts.count), parts[1] == provider.rawValue, let issuedAt = Int64(parts[4]) else {
            return nil
        }
        let isRevoked = state.withLock { state in
            state.revoked.contains(token) || state.faults[provider] == .revokedTokens
        }
        return isRevoked
            ? nil
            : TokenOwner(kind: parts[0], provider: provider, player: parts[2], clientID: parts[3], issuedAt: issuedAt)
    }
}

/// What can be wrong with a provider.
public enum FakeFault: Sendable, Hashable {
    /// Every answer takes so long.
    case slow(milliseconds: Int)
    /// Every call fails with 503.
    case down
    /// Every call fails with 429.
    case tooManyRequests
    /// Every call fails as RFC 6749 has it for a provider's own trouble.
    case serverError
    /// Its work is done, and the answer does not arrive.
    case lostAnswer
    /// What it issues is for another client.
    case wrongAudience
    /// No access token is valid any more.
    case revokedTokens
    /// Answers with status 200 that are none.
    case odd(FakeOddity)

    /// By the words of the control page.
    public init?(_ words: String) {
        switch words {
        case "slow": self = .slow(milliseconds: 3_000)
        case "down": self = .down
        case "429": self = .tooManyRequests
        case "server-error": self = .serverError
        case "lost-answer": self = .lostAnswer
        case "wrong-audience": self = .wrongAudience
        case "revoked-tokens": self = .revokedTokens
        default:
            guard let oddity = FakeOddity(rawValue: words) else { return nil }
            self = .odd(oddity)
        }
    }

    static let words =
        ["slow", "down", "429", "server-error", "lost-answer", "wrong-audience", "revoked-tokens"]
        + FakeOddity.allCases.map(\.rawValue)
}

/// What an odd answer holds.
public enum FakeOddity: String, Sendable, Hashable, CaseIterable {
    case html, huge, empty, error, garbage
    case noSubject = "no-subject"
    case emptySubject = "empty-subject"
    case nullSubject = "null-subject"
    case zeroSubject = "zero-subject"
    case listSubject = "list-subject"
}

extension Provider {
    /// Kakao Login: `kakaogame` is the partners' one.
    public static let kakao = Provider("kakao")
    /// An OpenID Connect provider of one's own.
    public static let studio = Provider("studio")
}
