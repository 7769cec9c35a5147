import Crypto
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// The account of one person at one identity provider, as verified before any transaction began.
package struct VerifiedIdentity: Sendable, Hashable {
    package let key: IdentityKey
    /// The tokens that must be revoked later.
    package var tokens: IdentityTokens?
    /// What makes the credential usable only once, or by only one device.
    package var claim: CredentialClaim?
    /// Whether the credential is known to have been used before. Then its first user must be checked.
    package var wasUsed = false

    package init(key: IdentityKey, tokens: IdentityTokens? = nil, claim: CredentialClaim? = nil) {
        self.key = key
        self.tokens = tokens
        self.claim = claim
    }

    /// The same identity, with what is known of its credential.
    package func used(_ wasUsed: Bool) -> VerifiedIdentity {
        var identity = self
        identity.wasUsed = wasUsed
        return identity
    }
}

/// The account of one person at one identity provider. The database keeps it unique in an app.
package struct IdentityKey: Sendable, Hashable, Codable {
    package let provider: Provider
    /// The scope in which the provider's subjects are unique (a team, a channel); empty if the provider has only one.
    package let namespace: String
    package let subject: String

    package init(provider: Provider, namespace: String, subject: String) {
        self.provider = provider
        self.namespace = namespace
        self.subject = subject
    }
}

/// The unique key that allows only one use of a credential.
package enum CredentialClaim: Sendable, Hashable {
    /// A token that could be presented again until it expires. From its first use on it belongs to that device alone: a game may use it
    /// repeatedly for an hour, but a thief can't.
    case token(hash: [UInt8], until: Moment)
    /// The code of a browser login, which is used up by its first use.
    case loginAttempt(String)

    /// A signed token is identified by its signed part, because an ECDSA signature has a second valid form, which would give the token
    /// a second text.
    package static func signed(_ token: ProviderToken, until end: Moment) -> CredentialClaim {
        let text = token.secretValue.utf8
        let input = text[..<(text.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex)]
        return .token(hash: Array(SHA256.hash(data: Data(input))), until: end)
    }

    /// A token that only its provider can interpret is identified by its text.
    package static func opaque(_ token: ProviderToken, until end: Moment) -> CredentialClaim {
        .token(hash: hash(of: token.secretValue), until: end)
    }

    package static func hash(of text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

/// Why a credential was refused.
package enum IdentityFailure: Error, Sendable, Hashable {
    /// The provider does not confirm it, or it is malformed.
    case rejected(String)
    case expired
    /// It was issued to another client.
    case audienceMismatch
    /// The provider can't say to whom it was issued, and the app does not accept that.
    case unbound
    /// The app doesn't have the provider, or it is disabled.
    case notConfigured
    /// The credential lacks what this provider verifies.
    case incomplete(String)
    /// The player has cancelled at the provider's page.
    case cancelled
    /// The provider can't be asked.
    case unavailable
    /// Too many wait for the same document of the provider. It says nothing about the credential.
    case busy
    /// The provider's settings are wrong. The text describes the mistake for an operator.
    case misconfigured(String)

    /// A request to an address of this machine or of its networks was not sent (NET-1).
    package static let notPublic = IdentityFailure.misconfigured("its URL is not one of the internet")

    /// The value of ``LoginReturn/error`` with which a browser returns to the game.
    package var word: String {
        switch self {
        case .cancelled: LoginReturn.cancelled
        case .expired: ErrorReason.credentialExpired.rawValue
        case .audienceMismatch: ErrorReason.audienceMismatch.rawValue
        case .unavailable, .busy: ErrorReason.providerUnavailable.rawValue
        case .notConfigured, .incomplete, .misconfigured: ErrorReason.providerMisconfigured.rawValue
        case .unbound: ErrorReason.tokenUnbound.rawValue
        case .rejected: ErrorReason.credentialRejected.rawValue
        }
    }

    /// A description for operators.
    package var words: String {
        switch self {
        case .rejected(let why): why
        case .expired: "it has expired"
        case .audienceMismatch: "it was issued for another client"
        case .unbound: "the provider can't say for whom an access token was issued"
        case .notConfigured: "the app has no such provider, or it is disabled"
        case .incomplete(let parameter): "it lacks \(parameter)"
        case .cancelled: "the player has turned back"
        case .unavailable: "the provider can't be asked"
        case .busy: "too many wait for what the provider publishes, or it was asked too often"
        case .misconfigured(let why): why
        }
    }

    /// - Parameter rejected: the call's code for a refused credential.
    /// - Parameter misconfigured: the call's code for a provider that doesn't exist, and for a credential that lacks something.
    package func refusal(rejected: ErrorCode, misconfigured: ErrorCode) -> Refusal {
        switch self {
        case .rejected(let why):
            Refusal(
                rejected, "The credential is refused: \(why).", reason: .credentialRejected, audit: "credential.refused"
            )
        case .expired:
            Refusal(rejected, "The credential has expired.", reason: .credentialExpired, audit: "credential.refused")
        case .audienceMismatch:
            Refusal(
                rejected, "The credential was issued for another client.", reason: .audienceMismatch,
                audit: "credential.refused")
        case .unbound:
            Refusal(
                rejected,
                "The provider can't say for whom an access token was issued: log in with a browser or a code. "
                    + "The setting accept-unbound-tokens of the identity provider lets it in.",
                reason: .tokenUnbound, details: ErrorDetails(setting: "accept-unbound-tokens"),
                audit: "credential.refused")
        case .notConfigured: Refusal(misconfigured, details: ErrorDetails(parameter: "provider"))
        case .incomplete(let parameter):
            Refusal(
                misconfigured, "The credential lacks \(parameter).",
                details: ErrorDetails(parameter: parameter))
        case .cancelled: Refusal(.authUserCanceled)
        case .unavailable:
            Refusal(
                .serverRemoteSystemError, "The identity provider can't be asked now.", reason: .providerUnavailable,
                httpStatus: 502, retryAfterSeconds: 5)
        case .busy: .overloaded
        case .misconfigured:
            // Only the operator may know the details: `gatehouse idp test` shows them.
            Refusal(misconfigured, "The identity provider's settings are wrong.", reason: .providerMisconfigured)
        }
    }
}
