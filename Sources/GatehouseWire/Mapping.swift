/// Connects one identity to its member.
public struct Mapping: Codable, Sendable, Hashable {
    /// The identity provider.
    public var provider: Provider
    /// The account at the identity provider; for `guest`, the thumbprint of the device's key.
    public var subject: String
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// When the provider reported that the player has revoked the consent for this game, in milliseconds since 1970, UTC. A new login
    /// with the provider clears it.
    public var revokedDate: Int64?

    /// Makes the value from its parts.
    public init(provider: Provider, subject: String, registrationDate: Int64, revokedDate: Int64? = nil) {
        self.provider = provider
        self.subject = subject
        self.registrationDate = registrationDate
        self.revokedDate = revokedDate
    }

    /// Identifies this identity among all of the app in one text: Gamebase's `authKey`, with its only `authSystem`, `gbid`.
    public var authKey: String { "\(provider.rawValue):\(subject)" }

    /// The identity that an ``authKey`` names.
    public static func parse(authKey: String) -> (provider: Provider, subject: String)? {
        guard let colon = authKey.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (Provider(String(authKey[..<colon])), String(authKey[authKey.utf8.index(after: colon)...]))
    }
}

/// The member after a change of its mappings.
public struct MappingChange: Codable, Sendable, Hashable {
    /// The member after the change.
    public var member: Member
    /// The identity provider under which the session continues.
    public var provider: Provider
    /// A new access token, if ``provider`` has changed: this happens after a guest's first mapping (MAP-4).
    public var session: SessionTokens?
    /// What the member may do now.
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

    /// Makes the value from its parts.
    public init(
        member: Member, provider: Provider, session: SessionTokens?, standing: Standing, serverDate: Int64
    ) {
        self.member = member
        self.provider = provider
        self.session = session
        self.standing = standing
        self.serverDate = serverDate
    }
}

/// Removes the mapping of one identity provider (MAP-8).
public struct MappingRemoval: Codable, Sendable, Hashable {
    /// The identity provider whose mapping is removed.
    public var provider: Provider

    /// Makes the value from its parts.
    public init(provider: Provider) {
        self.provider = provider
    }
}

/// The secret that uses a ticket: single-use, short-lived, and bound to the session that received it.
public struct ForcingMappingKey: WireSecret {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// Resolves ``ErrorCode/authAddMappingAlreadyMappedToOtherMember`` (3302): the identity belongs to another member, and the player
/// may move it here or log in as that member (MAP-3). The ticket comes with the error, in ``ErrorDetails/forcingMappingTicket``.
public struct ForcingMappingTicket: Codable, Sendable, Hashable {
    /// The member that asked for the mapping.
    public var userId: UserID
    /// The member that has the identity.
    public var mappedUserId: UserID
    /// The other member's status: Y, B, T or P.
    public var mappedUserValid: MemberStatus
    /// The identity provider of the identity.
    public var provider: Provider
    /// The secret that uses the ticket.
    public var forcingMappingKey: ForcingMappingKey
    /// When the ticket expires, in milliseconds since 1970, UTC.
    public var expirationDate: Int64
    /// Information about the other member, so that the player can make an informed choice.
    public var mappedMember: MemberSummary

    /// Makes the value from its parts.
    public init(
        userId: UserID, mappedUserId: UserID, mappedUserValid: MemberStatus, provider: Provider,
        forcingMappingKey: ForcingMappingKey, expirationDate: Int64, mappedMember: MemberSummary
    ) {
        self.userId = userId
        self.mappedUserId = mappedUserId
        self.mappedUserValid = mappedUserValid
        self.provider = provider
        self.forcingMappingKey = forcingMappingKey
        self.expirationDate = expirationDate
        self.mappedMember = mappedMember
    }
}

/// What a player may know about another account that is, or was, theirs.
public struct MemberSummary: Codable, Sendable, Hashable {
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC.
    public var lastLoginDate: Int64
    /// The identity providers mapped to the account.
    public var providers: [Provider]

    /// Makes the value from its parts.
    public init(registrationDate: Int64, lastLoginDate: Int64, providers: [Provider]) {
        self.registrationDate = registrationDate
        self.lastLoginDate = lastLoginDate
        self.providers = providers
    }
}

/// Uses a ticket: to move the identity here (MAP-6), or to log in as the other member (MAP-7).
public struct TicketUse: Codable, Sendable, Hashable {
    /// The secret of the ticket.
    public var forcingMappingKey: ForcingMappingKey
    /// The ticket's provider. Any other provider is refused with ``ErrorCode/authAddMappingForciblyDifferentIDP`` (3314).
    public var provider: Provider
    /// The ticket's other member. Any other member is refused with ``ErrorCode/authAddMappingForciblyDifferentAuthKey`` (3315).
    public var mappedUserId: UserID

    /// Uses a ticket as it came.
    public init(_ ticket: ForcingMappingTicket) {
        forcingMappingKey = ticket.forcingMappingKey
        provider = ticket.provider
        mappedUserId = ticket.mappedUserId
    }
}
