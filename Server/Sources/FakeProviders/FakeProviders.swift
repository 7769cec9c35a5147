import Crypto
import CryptoExtras
import GatehousePlatform
public import GatehouseWire
import Synchronization

/// A fake world of identity providers for development and tests. They have the real providers' paths, formats and peculiarities, sign
/// with their own keys, and let in any player.
///
/// What is at `https://HOST/PATH` in the real world is at `ORIGIN/HOST/PATH` here.
public final class FakeProviders: Sendable {
    /// The available providers. `studio` represents any OpenID Connect provider that an operator adds.
    public static let names = FakeRow.all.map(\.provider)

    /// The providers with a login page.
    public static let withPages = FakeRow.all.filter(\.hasPage).map(\.provider)

    struct State {
        var revoked: [String] = []
        var faults: [Provider: FakeFault] = [:]
        /// The keys of providers that have changed theirs.
        var keys: [Provider: [FakeSigningKey]] = [:]
        var codes: [String: Grant] = [:]
        /// Players who have logged in. The login page offers them.
        var players = ["alice", "bob", "carol"]
        /// Apple reveals a name only once.
        var named: Set<String> = []
        var requests: [Provider: Int] = [:]
        /// The registered callbacks of providers that check them.
        var callbacks: [Provider: [String]] = [:]
        /// Ids of client assertions that have been used.
        var assertions: Set<String> = []
        /// Optional members of ``FakeProviders/studio``'s discovery document.
        var discovery: [String: JSONValue] = [:]
        /// The certificates that Game Center publishes instead of its own.
        var gameCenter: FakeCertificates?
        /// The issuer in the discovery document.
        var discoveryIssuer: String?
    }

    /// What a player has granted at a login page.
    struct Grant {
        let provider: Provider
        let player: String
        let clientID: String
        let redirect: String?
        let nonce: String?
        let challenge: String?
    }

    /// The providers of this world.
    let rows: [FakeRow]
    let key: FakeSigningKey
    let lineKey: P256.Signing.PrivateKey
    let appleTeamKey: P256.Signing.PrivateKey
    /// The signing key of a client of `studio` that has no secret (`private_key_jwt`).
    let clientKey: P256.Signing.PrivateKey
    let gameCenter: FakeGameCenter
    let nowSeconds: @Sendable () -> Int64
    let state = Mutex(State())
    private let place: Mutex<String>

    /// - Parameter origin: the address of the fake world, such as `http://127.0.0.1:9090`.
    /// - Parameter others: providers whose keys are reused, so that what was configured for those providers also works with these.
    /// - Parameter nowSeconds: the time at which tokens are issued, in seconds since 1970.
    public convenience init(
        origin: String, key: FakeSigningKey, keysOf others: FakeProviders? = nil,
        nowSeconds: @escaping @Sendable () -> Int64
    ) {
        self.init(origin: origin, key: key, keysOf: others, rows: FakeRow.all, nowSeconds: nowSeconds)
    }

    /// - Parameter rows: the providers of the world.
    init(
        origin: String, key: FakeSigningKey, keysOf others: FakeProviders? = nil, rows: [FakeRow],
        nowSeconds: @escaping @Sendable () -> Int64
    ) {
        place = Mutex(origin)
        self.rows = rows
        self.key = key
        self.nowSeconds = nowSeconds
        lineKey = others?.lineKey ?? P256.Signing.PrivateKey()
        appleTeamKey = others?.appleTeamKey ?? P256.Signing.PrivateKey()
        clientKey = others?.clientKey ?? P256.Signing.PrivateKey()
        gameCenter = others?.gameCenter ?? FakeGameCenter(key: key, at: nowSeconds())
    }

    /// The systems that players come from.
    public var oldSystems: FakeOldSystems { FakeOldSystems(key: key, nowSeconds: nowSeconds) }

    func row(of provider: Provider) -> FakeRow? { rows.first { $0.provider == provider } }

    /// The address of the fake world: `http://127.0.0.1:PORT`. `https://HOST/PATH` of the real world is at `ORIGIN/HOST/PATH`.
    public var origin: String { place.withLock { $0 } }

    /// Sets the final address, because the port for 0 is known only when it is open.
    public func move(to origin: String) { place.withLock { $0 = origin } }

    /// The issuer in ID tokens, which is the real provider's.
    public func issuer(of provider: Provider) -> String {
        row(of: provider)?.issuer ?? "https://id.\(provider).example"
    }

    /// The client id that every app has at every provider; at Game Center, the bundle id.
    public func clientID(of provider: Provider) -> String { "gatehouse-\(provider)" }
    /// The secret of ``clientID(of:)``. It is not confidential here.
    public func clientSecret(of provider: Provider) -> String { "secret-of-\(provider)" }
    /// Kakao's admin key.
    public var adminKey: String { "fake-admin-key" }

    /// Revoked tokens, oldest first. A person whose consent ended without a token is listed as `PROVIDER:SUBJECT`.
    public var revoked: [String] { state.withLock { $0.revoked } }

    /// The number of requests to a provider.
    public func requests(to provider: Provider) -> Int { state.withLock { $0.requests[provider, default: 0] } }

    /// Makes a provider fail, or work again.
    public func set(_ fault: FakeFault?, for provider: Provider) {
        state.withLock { $0.faults[provider] = fault }
    }

    /// Adds members to `studio`'s discovery document, such as `token_endpoint_auth_methods_supported`. `studio` then requires its
    /// clients to comply with them.
    public func setDiscovery(_ members: [String: JSONValue], issuer: String? = nil) {
        state.withLock { state in
            state.discovery = members
            state.discoveryIssuer = issuer
        }
    }

    /// The private key, as PEM, that a client of `studio` uses instead of a secret with `private_key_jwt`.
    public var clientKeyPEM: String { clientKey.pemRepresentation }

    /// The root of Game Center's signer, as PEM.
    public var gameCenterRoot: String { gameCenter.root }

    /// Makes a provider accept only these callbacks.
    public func setCallbacks(_ callbacks: [String], of provider: Provider) {
        state.withLock { $0.callbacks[provider] = callbacks }
    }

    /// Makes a provider fail every call, or work again.
    public func setDown(_ provider: Provider, _ isDown: Bool) { set(isDown ? .down : nil, for: provider) }

    /// Gives a provider a new key. The old one is no longer published.
    public func rotateKey(of provider: Provider) throws {
        setKeys([try FakeSigningKey(id: "fake-\(UInt32(truncatingIfNeeded: nowSeconds()))-\(provider)")], of: provider)
    }

    /// The keys that a provider publishes from now on. The first signs.
    public func setKeys(_ keys: [FakeSigningKey], of provider: Provider) {
        state.withLock { $0.keys[provider] = keys }
    }

    func key(of provider: Provider) -> FakeSigningKey { state.withLock { $0.keys[provider]?.first } ?? key }

    /// A provider's id of a person. Some providers use numbers.
    public func subject(of player: String, at provider: Provider) -> String {
        guard let row = row(of: provider) else { return player }
        guard row.hasNumbers else { return row.subject?(player) ?? player }
        let digest = SHA256.hash(data: Data("\(provider) \(player)".utf8))
        return String(digest.prefix(6).reduce(UInt64(1)) { $0 << 8 | UInt64($1) })
    }

    // MARK: What providers issue

    /// An ID token for a player. A test changes members through `claims` and `header`; nil removes a member.
    public func idToken(
        _ provider: Provider, for player: String, claims changed: [String: JSONValue?] = [:],
        header changedHeader: [String: JSONValue?] = [:], signedBy other: FakeSigningKey? = nil
    ) throws -> ProviderToken {
        var claims = claims(provider, of: player)
        for (name, value) in changed { claims[name] = value }
        let key = other ?? key(of: provider)
        var header: [String: JSONValue] = ["alg": .string(key.algorithm), "typ": "JWT", "kid": .string(key.id)]
        let signsAsLINE = other == nil && row(of: provider)?.signsAsLINE ?? false
        if signsAsLINE { header = ["alg": "ES256", "typ": "JWT", "kid": "line-1"] }
        for (name, value) in changedHeader { header[name] = value }
        let input = try FakeJWS.input(header: header, claims: claims)
        let signature = signsAsLINE ? try FakeJWS.sign(input, with: lineKey) : try key.sign(input)
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
        row(of: provider)?.changeClaims(&claims)
        return claims
    }

    /// An access token, which contains its owner.
    ///
    /// - Parameter nonce: distinguishes tokens issued in the same second.
    public func accessToken(
        _ provider: Provider, for player: String, clientID: String? = nil, kind: String = "access", nonce: String = ""
    ) -> ProviderToken {
        let isForOthers = state.withLock { $0.faults[provider] } == .wrongAudience
        let client = clientID ?? (isForOthers ? "somebody-else" : self.clientID(of: provider))
        let parts = [kind, provider.rawValue, player, client, String(nowSeconds()), nonce]
        return ProviderToken("fake.\(Base64URL.encode(parts.joined(separator: "\n").utf8))")
    }

    /// The credential that a provider's own library would return to a game.
    public func credential(_ provider: Provider, for player: String) throws -> Credential {
        var credential = Credential(provider: provider)
        switch row(of: provider)?.login {
        case .proof: credential.gameCenter = try gameCenter.proof(for: player, at: nowSeconds())
        case .idToken: credential.idToken = try idToken(provider, for: player)
        case .code: credential.authorizationCode = libraryCode(provider, for: player)
        case .idTokenAndCode:
            credential.idToken = try idToken(provider, for: player)
            credential.authorizationCode = libraryCode(provider, for: player)
        case .accessToken, nil:
            credential.accessToken = accessToken(provider, for: player, nonce: FakeJWS.nonce())
        }
        return credential
    }

    private func libraryCode(_ provider: Provider, for player: String) -> ProviderToken {
        code(
            Grant(
                provider: provider, player: player, clientID: clientID(of: provider), redirect: nil, nonce: nil,
                challenge: nil))
    }

    func code(_ grant: Grant) -> ProviderToken {
        let code = "fake-code-\(FakeJWS.nonce())"
        state.withLock { state in
            state.codes[code] = grant
            if !state.players.contains(grant.player) { state.players = state.players.suffix(11) + [grant.player] }
        }
        return ProviderToken(code)
    }

    /// The owner of a valid token.
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

/// The faults that a provider can have.
public enum FakeFault: Sendable, Hashable {
    /// Every answer takes this long.
    case slow(milliseconds: Int)
    /// Every call fails with 503.
    case down
    /// Every call fails with 429.
    case tooManyRequests
    /// Every call fails with RFC 6749's server error.
    case serverError
    /// The provider does its work, but the answer does not arrive.
    case lostAnswer
    /// The provider issues tokens for another client.
    case wrongAudience
    /// No access token is valid any longer.
    case revokedTokens
    /// The provider's clock is ahead of the real time, or behind it.
    case wrongClock(secondsAhead: Int64)
    /// The provider sends invalid answers with status 200.
    case odd(FakeOddity)

    /// Reads the words of the control page.
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

    /// Every fault's word, in the order of the control page.
    static let words = explanations.flatMap(\.words)
}

/// The contents of an invalid answer.
public enum FakeOddity: String, Sendable, Hashable, CaseIterable {
    case html, huge, empty, error, garbage
    case noSubject = "no-subject"
    case emptySubject = "empty-subject"
    case nullSubject = "null-subject"
    case zeroSubject = "zero-subject"
    case listSubject = "list-subject"
}

extension Provider {
    /// An operator's own OpenID Connect provider.
    public static let studio = Provider("studio")
}
