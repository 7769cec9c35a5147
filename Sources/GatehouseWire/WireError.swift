/// The body of every error response: `{"error": {...}}`.
public struct ErrorEnvelope: Codable, Sendable, Hashable {
    /// The failure.
    public var error: WireError

    /// Makes the value from its parts.
    public init(error: WireError) {
        self.error = error
    }
}

/// One failure, as it is sent.
public struct WireError: Codable, Sendable, Hashable {
    /// The code of the error table.
    public var code: ErrorCode
    /// The name of the code, without its `TCGB_ERROR_` prefix.
    public var name: String
    /// What happened, for developers.
    public var message: String
    /// The call's id in the server's log.
    public var transactionId: TransactionID
    /// Further information; absent if there is none.
    public var details: ErrorDetails?

    /// Makes the value from its parts.
    public init(
        code: ErrorCode, message: String, transactionId: TransactionID, details: ErrorDetails = ErrorDetails()
    ) {
        self.code = code
        name = code.name
        self.message = message
        self.transactionId = transactionId
        self.details = details.isEmpty ? nil : details
    }
}

/// The words of `details.reason`. An open set.
public struct ErrorReason: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No `DPoP` header, or not exactly one.
    public static let proofMissing = ErrorReason("proof_missing")
    /// The proof is not one of RFC 9449, or its signature does not verify.
    public static let proofMalformed = ErrorReason("proof_malformed")
    /// Signed too long ago, or in the future: `serverDate` tells the time.
    public static let proofStale = ErrorReason("proof_stale")
    /// This proof was used before.
    public static let proofReplayed = ErrorReason("proof_replayed")
    /// The proof is for another method, URL or token.
    public static let proofMismatch = ErrorReason("proof_mismatch")
    /// The proof's key is not the one that the token is bound to.
    public static let keyMismatch = ErrorReason("key_mismatch")
    /// The secret key lacks the scope that the call needs.
    public static let scope = ErrorReason("scope")
    /// No `Authorization: DPoP <token>`, or not exactly one.
    public static let tokenMissing = ErrorReason("token_missing")
    /// The token is not of the form that this server's tokens have.
    public static let tokenMalformed = ErrorReason("token_malformed")
    /// The access token's time is over: a refresh brings another.
    public static let tokenExpired = ErrorReason("token_expired")
    /// The token is for another app, or for another member than the one named.
    public static let tokenForeign = ErrorReason("token_foreign")
    /// The session was ended by the player.
    public static let loggedOut = ErrorReason("logged_out")
    /// The session was ended by the server's rules: idle too long, or past its longest life.
    public static let sessionExpired = ErrorReason("session_expired")
    /// No such session.
    public static let sessionUnknown = ErrorReason("session_unknown")
    /// The member was banned.
    public static let banned = ErrorReason("banned")
    /// An operator has ended the session.
    public static let kickedOut = ErrorReason("kicked_out")
    /// The player has ended the session on another device.
    public static let endedElsewhere = ErrorReason("ended_elsewhere")
    /// The session is the caller's own, which ends by a logout.
    public static let ownSession = ErrorReason("own_session")
    /// The guest was moved to another device.
    public static let transferred = ErrorReason("transferred")
    /// The member has withdrawn. A refresh token is told so for 30 days.
    public static let withdrawn = ErrorReason("withdrawn")
    /// The identity that the session was opened with leads to this member no more.
    public static let identityRemoved = ErrorReason("identity_removed")
    /// The identity provider reports that the player has taken back what was allowed there, or that the account is gone.
    public static let consentRevoked = ErrorReason("consent_revoked")
    /// The session has gone on as another one: a login by ticket.
    public static let replaced = ErrorReason("replaced")
    /// The member has so many newer sessions that this one, the oldest, has ended.
    public static let tooManySessions = ErrorReason("too_many_sessions")
    /// The identity provider does not accept the credential.
    public static let credentialRejected = ErrorReason("credential_rejected")
    /// The credential's time is over: a new login at the provider brings another.
    public static let credentialExpired = ErrorReason("credential_expired")
    /// The credential was issued for another client than the app's.
    public static let audienceMismatch = ErrorReason("audience_mismatch")
    /// The identity provider can't say for whom the access token was issued, and the app does not accept such tokens: `setting` names
    /// what an operator can do.
    public static let tokenUnbound = ErrorReason("token_unbound")
    /// The identity provider can't be asked now.
    public static let providerUnavailable = ErrorReason("provider_unavailable")
    /// What the identity provider told is not there: no session of a login with this provider goes on, or the app keeps no profiles.
    public static let providerProfileUnavailable = ErrorReason("provider_profile_unavailable")
    /// The identity provider's settings are wrong.
    public static let providerMisconfigured = ErrorReason("provider_misconfigured")
    /// The old system's players can't be brought any more: its time is over, or an operator has closed it.
    public static let legacyClosed = ErrorReason("legacy_closed")
    /// No player of the old system was imported by this id.
    public static let legacyUnknown = ErrorReason("legacy_unknown")
    /// Another device has brought this player of the old system.
    public static let legacyClaimed = ErrorReason("legacy_claimed")
    /// The device has a guest, which would be lost: `replaceGuest` lets a new one go.
    public static let legacyGuestExists = ErrorReason("legacy_guest_exists")
    /// The player of the old system has an identity provider: a login with one of `providers` brings the account.
    public static let legacyProviderRequired = ErrorReason("legacy_provider_required")
    /// The game's own server brings the players of this system.
    public static let legacyServerRequired = ErrorReason("legacy_server_required")
    /// Too many calls: `Retry-After` tells when to come back.
    public static let tooManyRequests = ErrorReason("too_many_requests")
    /// More work than the server takes at a time.
    public static let overloaded = ErrorReason("overloaded")
    /// The database can't be reached or can't write.
    public static let databaseUnavailable = ErrorReason("database_unavailable")
    /// The idempotency key was used for another call.
    public static let idempotencyKeyReused = ErrorReason("idempotency_key_reused")
    /// Of the SDK alone: a player is logged in already (LOGIN-6).
    public static let alreadyLoggedIn = ErrorReason("already_logged_in")
    /// Of the SDK alone: the device's storage can't be read right now (LOGIN-8).
    public static let storageLocked = ErrorReason("storage_locked")
}
