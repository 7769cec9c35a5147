package import Crypto
import GatehouseJSON
import GatehousePlatform
package import GatehouseWire
import Synchronization

/// Access tokens: ES256 JWTs (RFC 9068's type) with the device's key in `cnf.jkt` (RFC 9449 section 6.1). They are written and parsed
/// only here, without an intermediate tree of JSON objects, because every login signs one and every call parses one.
package enum AccessTokens {
    package static let maximumLength = 1_024

    package static func sign(_ claims: AccessClaims, with key: SigningKey) throws -> AccessToken {
        // Ids and thumbprints consist of letters, digits, - and _, and provider names are validated when they are configured, so
        // nothing here needs escaping. The issuer is told only to other systems: nothing here reads it.
        let issuer = claims.issuer.map { #""iss":"\#($0)","# } ?? ""
        let payload =
            #"{\#(issuer)"aud":"\#(claims.app)","sub":"\#(claims.user)","sid":"\#(claims.session)","idp":"\#(claims.provider)","#
            + #""iat":\#(claims.issuedAt.milliseconds / 1_000),"exp":\#(claims.expiresAt.milliseconds / 1_000),"gen":\#(claims.generation),"#
            + #""cnf":{"jkt":"\#(claims.key)"}}"#
        return AccessToken(try CompactJWS.sign(header: key.tokenHeader, claims: payload, with: key.privateKey))
    }

    /// A parsed token that has not been verified.
    package struct Unverified {
        fileprivate let jws: CompactJWS
        package let keyID: String
    }

    package static func read(_ token: AccessToken) throws -> Unverified {
        guard let jws = CompactJWS(token.secretValue, maximumLength: maximumLength),
            jws.header["typ"]?.string == "at+jwt", jws.header["alg"]?.string == "ES256", jws.header["crit"] == nil,
            let keyID = jws.header["kid"]?.string
        else { throw refusal(.tokenMalformed, "The access token is not one of ours.") }
        return Unverified(jws: jws, keyID: keyID)
    }

    /// The claims of a token signed with one of the app's keys. The token may have expired.
    ///
    /// - Parameter isOurs: whether this process is known to have signed it.
    package static func verify(
        _ token: Unverified, app: AppID, keys: SigningKeySet, isOurs: Bool, expired: Bool = false, at moment: Moment
    ) throws -> AccessClaims {
        let jws = token.jws
        guard let key = keys.verifying(token.keyID, at: moment, retired: expired),
            isOurs || jws.isSigned(by: key.publicKey)
        else {
            throw foreign
        }
        guard jws.claims["aud"]?.string == app.rawValue else {
            throw refusal(.tokenForeign, "The access token is for another app.")
        }
        guard let user = jws.claims["sub"]?.string, let session = jws.claims["sid"]?.string,
            let provider = jws.claims["idp"]?.string, let thumbprint = jws.claims["cnf"]?["jkt"]?.string,
            let issued = jws.claims["iat"]?.integer, let expires = jws.claims["exp"]?.integer
        else { throw refusal(.tokenMalformed, "The access token lacks a claim.") }
        return AccessClaims(
            app: app, user: UserID(user), session: SessionID(session), provider: Provider(provider),
            key: KeyThumbprint(thumbprint), issuedAt: Moment(milliseconds: 0).adding(seconds: issued),
            expiresAt: Moment(milliseconds: 0).adding(seconds: expires),
            generation: jws.claims["gen"]?.integer ?? 0)
    }

    package static var foreign: Refusal { refusal(.tokenForeign, "No key of this app signed the access token.") }
    package static var expired: Refusal { refusal(.tokenExpired, "The access token has expired: refresh it.") }

    private static func refusal(_ reason: ErrorReason, _ message: String) -> Refusal {
        Refusal(.authInvalidGatehouseToken, message, reason: reason, audit: "token.refused")
    }
}

/// The claims of an access token.
package struct AccessClaims: Sendable, Hashable {
    package let app: AppID
    package let user: UserID
    package let session: SessionID
    package let provider: Provider
    /// The device's key to which the token is bound.
    package let key: KeyThumbprint
    package let issuedAt: Moment
    package let expiresAt: Moment
    /// The generation of the member's sessions: whatever ends them all begins a new one (``Account/generation``).
    package let generation: Int64
    /// The issuer, for other systems that take the app's tokens: a text without anything to escape.
    package let issuer: String?

    package init(
        app: AppID,
        user: UserID,
        session: SessionID,
        provider: Provider,
        key: KeyThumbprint,
        issuedAt: Moment,
        expiresAt: Moment,
        generation: Int64,
        issuer: String? = nil
    ) {
        self.app = app
        self.user = user
        self.session = session
        self.provider = provider
        self.key = key
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.generation = generation
        self.issuer = issuer
    }
}

/// Access tokens with recently verified signatures. A valid signature stays valid; everything else about a token (its time, its key,
/// its session) is checked every time.
package final class VerifiedTokens: Sendable {
    package struct Entry: Sendable {
        package let claims: AccessClaims
        package let keyID: String

        package init(claims: AccessClaims, keyID: String) {
            self.claims = claims
            self.keyID = keyID
        }
    }

    /// Two generations: when the young one is full it becomes the old one, and tokens unused since then are forgotten.
    private struct Generations {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    package init(capacity: Int = 8_192) {
        self.capacity = capacity
    }

    package static func hash(_ token: AccessToken) -> SHA256Digest { SHA256.hash(data: Data(token.secretValue.utf8)) }

    package subscript(_ hash: SHA256Digest) -> Entry? {
        let (entry, isOld) = generations.withLock { generations in
            generations.young[hash].map { ($0, false) } ?? (generations.old[hash], true)
        }
        if isOld, let entry { insert(entry, hash) }
        return entry
    }

    package func insert(_ entry: Entry, _ hash: SHA256Digest) {
        generations.withLock { generations in
            if generations.young.count >= capacity / 2 { generations = Generations(old: generations.young) }
            generations.young[hash] = entry
        }
    }
}

/// Recently issued tokens. Their signatures need not be verified again. Half of each token's hash is kept, in two generations; a token
/// that has been forgotten is verified like any other.
package final class IssuedTokens: Sendable {
    private struct Mark: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ hash: SHA256Digest) {
            var halves = (UInt64(0), UInt64(0))
            for (index, byte) in hash.prefix(16).enumerated() {
                if index < 8 {
                    halves.0 = halves.0 << 8 | UInt64(byte)
                } else {
                    halves.1 = halves.1 << 8 | UInt64(byte)
                }
            }
            (high, low) = halves
        }
    }

    private struct Generations {
        var young: Set<Mark> = []
        var old: Set<Mark> = []
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    /// - Parameter capacity: the number of tokens in one generation.
    package init(capacity: Int = 32_768) {
        self.capacity = capacity
    }

    package func insert(_ hash: SHA256Digest) {
        let mark = Mark(hash)
        generations.withLock { generations in
            if generations.young.count >= capacity { generations = Generations(old: generations.young) }
            generations.young.insert(mark)
        }
    }

    package func contains(_ hash: SHA256Digest) -> Bool {
        let mark = Mark(hash)
        return generations.withLock { $0.young.contains(mark) || $0.old.contains(mark) }
    }
}
