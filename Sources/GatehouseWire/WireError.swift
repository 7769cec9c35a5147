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

/// What an error says beside its code, for programs. Each member comes with the codes that it names, and some come together.
public struct ErrorDetails: Sendable, Hashable {
    /// The reason, as one word.
    public var reason: ErrorReason?
    /// Seconds to wait before the next attempt, as in the `Retry-After` header.
    public var retryAfterSeconds: Int64?
    /// The server's clock in milliseconds since 1970. It comes with a stale proof, so that the client can correct its clock.
    public var serverDate: Int64?
    /// The invalid parameter, with ``ErrorCode/invalidParameter`` (3) and ``ErrorCode/invalidJSONFormat`` (4).
    public var parameter: String?
    /// The operator's setting that decides the refusal, by its name in `gatehouse idp set`: with ``ErrorReason/tokenUnbound``.
    public var setting: String?
    /// The app's status, with ``ErrorCode/authNotPlayable`` (3701).
    public var launchingStatus: LaunchingStatus?
    /// The maintenance window, with ``ErrorCode/authNotPlayable`` (3701).
    public var maintenance: Maintenance?
    /// What the member may do now, with ``ErrorCode/bannedMember`` (7) and ``ErrorCode/authNotPlayable`` (3701).
    public var standing: Standing?
    /// The ban, with ``ErrorCode/bannedMember`` (7) and with a session that was ended by a ban.
    public var ban: Ban?
    /// The message to the player when a session was ended, in the player's language. It always comes with a kick-out and a transfer.
    public var message: String?
    /// The identity provider whose report ended the session.
    public var provider: Provider?
    /// The identity providers with which the player of another system can log in, with ``ErrorReason/legacyProviderRequired``.
    public var providers: [Provider]?
    /// The ticket, with ``ErrorCode/authAddMappingAlreadyMappedToOtherMember`` (3302).
    public var forcingMappingTicket: ForcingMappingTicket?
    /// The block, with ``ErrorCode/authTransferAccountBlock`` (3042).
    public var transferBlock: TransferBlock?
    /// The code that a newer server answered with, with ``ErrorCode/serverUnknownError`` (8999).
    public var code: ErrorCode?
    /// What a newer server says, by its name on the wire: names that this version doesn't know, and forms that it can't read.
    public var other: [String: JSONValue]

    /// Makes the value from its parts.
    public init(
        reason: ErrorReason? = nil, retryAfterSeconds: Int64? = nil, serverDate: Int64? = nil, parameter: String? = nil,
        setting: String? = nil, launchingStatus: LaunchingStatus? = nil, maintenance: Maintenance? = nil,
        standing: Standing? = nil, ban: Ban? = nil, message: String? = nil, provider: Provider? = nil,
        providers: [Provider]? = nil, forcingMappingTicket: ForcingMappingTicket? = nil,
        transferBlock: TransferBlock? = nil, code: ErrorCode? = nil,
        other: [String: JSONValue] = [:]
    ) {
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        self.serverDate = serverDate
        self.parameter = parameter
        self.setting = setting
        self.launchingStatus = launchingStatus
        self.maintenance = maintenance
        self.standing = standing
        self.ban = ban
        self.message = message
        self.provider = provider
        self.providers = providers
        self.forcingMappingTicket = forcingMappingTicket
        self.transferBlock = transferBlock
        self.code = code
        self.other = other
    }

    /// Whether there is nothing to say.
    package var isEmpty: Bool { self == ErrorDetails() }
}

extension ErrorDetails: Codable {
    private static let fields = [
        Field("reason", \.reason), Field("retryAfterSeconds", \.retryAfterSeconds), Field("serverDate", \.serverDate),
        Field("parameter", \.parameter), Field("setting", \.setting), Field("launchingStatus", \.launchingStatus),
        Field("maintenance", \.maintenance), Field("standing", \.standing), Field("ban", \.ban),
        Field("message", \.message), Field("provider", \.provider),
        Field("providers", \.providers),
        Field("forcingMappingTicket", \.forcingMappingTicket), Field("failTransferAccount", \.transferBlock),
        Field("code", \.code),
    ]

    /// Decodes the value. Whatever can't be read goes to ``other``, so that an error of a newer server is still an error (ERROR-3).
    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: Name.self)
        for name in members.allKeys {
            let field = Self.fields.first { $0.name.stringValue == name.stringValue }
            if let field, (try? field.read(&self, members)) != nil { continue }
            other[name.stringValue] = try members.decode(JSONValue.self, forKey: name)
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        for (name, value) in other { try members.encode(value, forKey: Name(stringValue: name)) }
        for field in Self.fields { try field.write(self, &members) }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A member whose form is known.
    private struct Field: Sendable {
        let name: Name
        let read: @Sendable (inout ErrorDetails, KeyedDecodingContainer<Name>) throws -> Void
        let write: @Sendable (ErrorDetails, inout KeyedEncodingContainer<Name>) throws -> Void

        init<Value: Codable & Sendable>(_ text: String, _ path: any WritableKeyPath<ErrorDetails, Value?> & Sendable) {
            let name = Name(stringValue: text)
            self.name = name
            read = { $0[keyPath: path] = try $1.decode(Value.self, forKey: name) }
            write = { try $1.encodeIfPresent($0[keyPath: path], forKey: name) }
        }
    }
}
