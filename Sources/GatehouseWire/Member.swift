/// A player account as the player and the game server see it.
public struct Member: Codable, Sendable, Hashable {
    public var appId: AppID
    public var userId: UserID
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
    public var member: Member
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

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

    public init(gracePeriodDate: Int64) {
        self.gracePeriodDate = gracePeriodDate
    }
}

/// A member's status letter, as the Server API shows it. An open set.
public struct MemberStatus: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let normal = MemberStatus("Y")
    public static let banned = MemberStatus("B")
    public static let pendingWithdrawal = MemberStatus("T")
    public static let graceBanned = MemberStatus("P")
    public static let withdrawn = MemberStatus("D")
    public static let missing = MemberStatus("M")
}
