import GatehouseWire

/// The account of one person at one identity provider, as verified before any transaction began.
struct VerifiedIdentity: Sendable, Hashable {
    let key: IdentityKey
    /// What must be revoked one day.
    var tokens: IdentityTokens?

    init(key: IdentityKey, tokens: IdentityTokens? = nil) {
        self.key = key
        self.tokens = tokens
    }
}

/// Why a credential was not accepted.
enum IdentityFailure: Error, Sendable, Hashable {
    /// The provider does not stand behind it, or it is not what it should be.
    case rejected(String)
    case expired
    /// It was issued for another client than the app's.
    case audienceMismatch
    /// The app has no such provider, or it is switched off.
    case notConfigured
    /// The credential lacks what this provider verifies.
    case incomplete(String)
    /// The provider can't be asked.
    case unavailable
    /// The provider's settings are wrong.
    case misconfigured

    /// - Parameter rejected: the code of the call for a credential that is refused.
    /// - Parameter misconfigured: its code for a provider that isn't there, and for a credential that lacks something.
    func refusal(rejected: ErrorCode, misconfigured: ErrorCode) -> Refusal {
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
        case .notConfigured: Refusal(misconfigured, details: [ErrorDetail.parameter: "provider"])
        case .incomplete(let parameter):
            Refusal(
                misconfigured, "The credential lacks \(parameter).",
                details: [ErrorDetail.parameter: .string(parameter)])
        case .unavailable:
            Refusal(
                .serverRemoteSystemError, "The identity provider can't be asked now.", reason: .providerUnavailable,
                httpStatus: 502, retryAfterSeconds: 5)
        case .misconfigured:
            Refusal(misconfigured, "The identity provider's settings are wrong.", reason: .providerMisconfigured)
        }
    }
}
