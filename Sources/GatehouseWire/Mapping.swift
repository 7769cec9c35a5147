/// The tie from one identity to its member.
public struct Mapping: Codable, Sendable, Hashable {
    public var provider: Provider
    /// The account at the identity provider; for `guest`, the thumbprint of the device's key.
    public var subject: String
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Since when the provider reports that the player has turned away from the game there, in milliseconds since 1970, UTC. A new
    /// login with the provider ends it.
    public var revokedDate: Int64?

    public init(provider: Provider, subject: String, registrationDate: Int64, revokedDate: Int64? = nil) {
        self.provider = provider
        self.subject = subject
        self.registrationDate = registrationDate
        self.revokedDate = revokedDate
    }

    /// What tells this identity from all others of the app in one text: Gamebase's `authKey`, of its one `authSystem`, `gbid`.
    public var authKey: String { "\(provider.rawValue):\(subject)" }

    /// The identity that an ``authKey`` names.
    public static func parse(authKey: String) -> (provider: Provider, subject: String)? {
        guard let colon = authKey.firstIndex(of: ":") else { return nil }
        return (Provider(String(authKey[..<colon])), String(authKey[authKey.index(after: colon)...]))
    }
}

/// The member after a change of its mappings.
public struct MappingChange: Codable, Sendable, Hashable {
    public var member: Member
    /// The identity provider that the session goes on under.
    public var provider: Provider
    /// A new access token, where ``provider`` is another than before: a guest's after its first mapping (MAP-4).
    public var session: SessionTokens?
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

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
    public var provider: Provider

    public init(provider: Provider) {
        self.provider = provider
    }
}

/// What a ticket is used with: single-use, short-lived, bound to the session that got it.
public struct ForcingMappingKey: WireSecret {
    public let secretValue: String
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// A way out of 3302: the identity belongs to another member, and the player may move it here or log in there (MAP-3). It
/// comes with the error, in ``ErrorDetail/forcingMappingTicket``.
public struct ForcingMappingTicket: Codable, Sendable, Hashable {
    /// The member that asked for the mapping.
    public var userId: UserID
    /// The member that has the identity.
    public var mappedUserId: UserID
    /// The other member's status: Y, B, T or P.
    public var mappedUserValid: MemberStatus
    public var provider: Provider
    public var forcingMappingKey: ForcingMappingKey
    /// When the ticket ends, in milliseconds since 1970, UTC.
    public var expirationDate: Int64
    /// The other member, so that the player can choose knowingly.
    public var mappedMember: MemberSummary

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

/// What one player may know of another account that is, or was, theirs.
public struct MemberSummary: Codable, Sendable, Hashable {
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC.
    public var lastLoginDate: Int64
    public var providers: [Provider]

    public init(registrationDate: Int64, lastLoginDate: Int64, providers: [Provider]) {
        self.registrationDate = registrationDate
        self.lastLoginDate = lastLoginDate
        self.providers = providers
    }
}

/// Uses a ticket: to move the identity here (MAP-6), or to log in as the other member (MAP-7).
public struct TicketUse: Codable, Sendable, Hashable {
    public var forcingMappingKey: ForcingMappingKey
    /// The ticket's provider: another one is refused with 3314.
    public var provider: Provider
    /// The ticket's other member: another one is refused with 3315.
    public var mappedUserId: UserID

    public init(_ ticket: ForcingMappingTicket) {
        forcingMappingKey = ticket.forcingMappingKey
        provider = ticket.provider
        mappedUserId = ticket.mappedUserId
    }
}
