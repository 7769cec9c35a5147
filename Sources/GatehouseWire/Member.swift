/// A player account as its owner and the game server see it.
public struct Member: Codable, Sendable, Hashable {
    public var appId: AppID
    public var userId: UserID
    public var status: MemberStatus
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64
    /// Milliseconds since 1970, UTC.
    public var lastLoginDate: Int64
    /// The identity providers that lead to this member, oldest first.
    public var mappings: [Mapping]

    public init(
        appId: AppID, userId: UserID, status: MemberStatus, registrationDate: Int64, lastLoginDate: Int64,
        mappings: [Mapping]
    ) {
        self.appId = appId
        self.userId = userId
        self.status = status
        self.registrationDate = registrationDate
        self.lastLoginDate = lastLoginDate
        self.mappings = mappings
    }
}

/// The tie from one identity to its member.
public struct Mapping: Codable, Sendable, Hashable {
    public var provider: Provider
    /// The account at the identity provider; for `guest`, the thumbprint of the device's key.
    public var subject: String
    /// Milliseconds since 1970, UTC.
    public var registrationDate: Int64

    public init(provider: Provider, subject: String, registrationDate: Int64) {
        self.provider = provider
        self.subject = subject
        self.registrationDate = registrationDate
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

/// What the member may do now: one value for a title screen.
public struct Standing: Codable, Sendable, Hashable {
    public var isPlayable: Bool
    public var launchingStatus: LaunchingStatus
    public var memberStatus: MemberStatus
    /// What the player should read, in the player's language; absent while there is nothing to say.
    public var message: String?

    public init(
        isPlayable: Bool, launchingStatus: LaunchingStatus, memberStatus: MemberStatus, message: String? = nil
    ) {
        self.isPlayable = isPlayable
        self.launchingStatus = launchingStatus
        self.memberStatus = memberStatus
        self.message = message
    }
}
