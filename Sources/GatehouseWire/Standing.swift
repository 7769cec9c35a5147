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
