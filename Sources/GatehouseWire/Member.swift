/// A player account as the player and the game server see it.
public struct Member: Codable, Sendable, Hashable {
    /// The app.
    public var appId: AppID
    /// The member's id.
    public var userId: UserID
    /// Whether the member can play, is banned, or is withdrawn.
    public var status: MemberStatus
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC.
    public var lastLoginDate: Int64
    /// The identity providers mapped to this member, oldest first.
    public var mappings: [Mapping]
    /// Present while a withdrawal is pending (WITHDRAW-2).
    public var temporaryWithdrawal: TemporaryWithdrawal?
    /// Present while a grace ban lasts (BAN-4).
    public var graceBan: GraceBan?

    /// Makes the value from its parts.
    public init(
        appId: AppID, userId: UserID, status: MemberStatus, registrationDate: Int64, lastLoginDate: Int64,
        mappings: [Mapping], temporaryWithdrawal: TemporaryWithdrawal? = nil, graceBan: GraceBan? = nil
    ) {
        self.appId = appId
        self.userId = userId
        self.status = status
        self.registrationDate = registrationDate
        self.lastLoginDate = lastLoginDate
        self.mappings = mappings
        self.temporaryWithdrawal = temporaryWithdrawal
        self.graceBan = graceBan
    }
}

/// The member after a change that doesn't affect its session.
public struct MemberChange: Codable, Sendable, Hashable {
    /// The member after the change.
    public var member: Member
    /// What the member may do now.
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

    /// Makes the value from its parts.
    public init(member: Member, standing: Standing, serverDate: Int64) {
        self.member = member
        self.standing = standing
        self.serverDate = serverDate
    }
}

/// A withdrawal that is pending.
public struct TemporaryWithdrawal: Codable, Sendable, Hashable {
    /// When the member is withdrawn unless the withdrawal is cancelled, in milliseconds since 1970, UTC.
    public var gracePeriodDate: Int64

    /// Makes the value from its parts.
    public init(gracePeriodDate: Int64) {
        self.gracePeriodDate = gracePeriodDate
    }
}

/// A member's status letter, as the Server API shows it. An open set.
public struct MemberStatus: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The member can play.
    public static let normal = MemberStatus("Y")
    /// The member is banned.
    public static let banned = MemberStatus("B")
    /// A withdrawal is pending; the member can play until it is carried out.
    public static let pendingWithdrawal = MemberStatus("T")
    /// A grace ban lasts; the member can play until its deadline.
    public static let graceBanned = MemberStatus("P")
    /// The member has withdrawn.
    public static let withdrawn = MemberStatus("D")
    /// The member is frozen: it has lost its last identity.
    public static let missing = MemberStatus("M")
}
