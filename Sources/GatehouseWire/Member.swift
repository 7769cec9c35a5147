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

/// What the member may do now, in one value with everything that a title screen needs.
///
/// It comes with a login, with each heartbeat, and, in ``ErrorDetails/standing``, with the errors ``ErrorCode/bannedMember`` (7) and
/// ``ErrorCode/authNotPlayable`` (3701).
public struct Standing: Codable, Sendable, Hashable {
    /// Whether the member may play now.
    public var isPlayable: Bool
    /// Why the member may not play, or a notice although the game is playable.
    public var reason: StandingReason
    /// When ``reason`` ends, in milliseconds since 1970, UTC; absent if it has no end.
    public var untilDate: Int64?
    /// The app's status.
    public var launchingStatus: LaunchingStatus
    /// The member's status.
    public var memberStatus: MemberStatus
    /// What the player should read, in the player's language; absent while there is no message.
    public var message: String?
    /// What the player can do next, preferred first.
    public var actions: [StandingAction]
    /// The mapped providers that report that the player has revoked the consent for this game. The game should offer to remove these
    /// mappings. Absent if there are none.
    public var revokedProviders: [Provider]?
    /// Where the player finds another version of the game: an address of a store or a page. Absent unless a rule for this client has
    /// one.
    public var updateURL: String?

    /// Makes the value from its parts.
    public init(
        isPlayable: Bool, reason: StandingReason, untilDate: Int64?, launchingStatus: LaunchingStatus,
        memberStatus: MemberStatus, message: String?, actions: [StandingAction], revokedProviders: [Provider]? = nil,
        updateURL: String? = nil
    ) {
        self.isPlayable = isPlayable
        self.reason = reason
        self.untilDate = untilDate
        self.launchingStatus = launchingStatus
        self.memberStatus = memberStatus
        self.message = message
        self.actions = actions
        self.revokedProviders = revokedProviders
        self.updateURL = updateURL
    }
}

/// Why a member may play or not. An open set.
public struct StandingReason: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The member can play, and there is no notice.
    public static let good = StandingReason("good")
    /// The game is under maintenance.
    public static let maintenance = StandingReason("maintenance")
    /// The game can be played only after an update.
    public static let updateRequired = StandingReason("update_required")
    /// The game can be played, and an update is recommended.
    public static let updateRecommended = StandingReason("update_recommended")
    /// The game has been shut down.
    public static let terminated = StandingReason("terminated")
    /// The app is not in service for another reason: see its status.
    public static let notInService = StandingReason("not_in_service")
    /// The member is banned.
    public static let banned = StandingReason("banned")
    /// A grace ban lasts: the member can play until its deadline.
    public static let graceBanned = StandingReason("grace_banned")
    /// A withdrawal is pending: the member can play until it is carried out.
    public static let withdrawalPending = StandingReason("withdrawal_pending")
}

/// What a player can do next. An open set.
public struct StandingAction: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Play.
    public static let play = StandingAction("play")
    /// Come back after ``Standing/untilDate``.
    public static let wait = StandingAction("wait")
    /// Install an update.
    public static let update = StandingAction("update")
    /// Contact the operator's support.
    public static let contactSupport = StandingAction("contact_support")
    /// Cancel the pending withdrawal.
    public static let cancelWithdrawal = StandingAction("cancel_withdrawal")
    /// Meet the conditions that release a grace ban.
    public static let settleGraceBan = StandingAction("settle_grace_ban")
    /// Map an identity provider, or issue a transfer account.
    public static let secureGuest = StandingAction("secure_guest")
}
