/// What the member may do now, in one value with everything that a title screen needs.
///
/// It comes with a login, with each heartbeat, and, in ``ErrorDetail/standing``, with the errors 7 and 3701.
public struct Standing: Codable, Sendable, Hashable {
    public var isPlayable: Bool
    /// Why the member may not play, or a notice although the game is playable.
    public var reason: StandingReason
    /// When ``reason`` ends, in milliseconds since 1970, UTC; absent if it has no end.
    public var untilDate: Int64?
    public var launchingStatus: LaunchingStatus
    public var memberStatus: MemberStatus
    /// What the player should read, in the player's language; absent while there is no message.
    public var message: String?
    /// What the player can do next, preferred first.
    public var actions: [StandingAction]
    /// The mapped providers that report that the player has revoked the consent for this game. The game should offer to remove these
    /// mappings. Absent if there are none.
    public var revokedProviders: [Provider]?

    public init(
        isPlayable: Bool, reason: StandingReason, untilDate: Int64?, launchingStatus: LaunchingStatus,
        memberStatus: MemberStatus, message: String?, actions: [StandingAction], revokedProviders: [Provider]? = nil
    ) {
        self.isPlayable = isPlayable
        self.reason = reason
        self.untilDate = untilDate
        self.launchingStatus = launchingStatus
        self.memberStatus = memberStatus
        self.message = message
        self.actions = actions
        self.revokedProviders = revokedProviders
    }
}

/// Why a member may play or not. An open set.
public struct StandingReason: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The member can play, and there is no notice.
    public static let good = StandingReason("good")
    public static let maintenance = StandingReason("maintenance")
    public static let updateRequired = StandingReason("update_required")
    public static let updateRecommended = StandingReason("update_recommended")
    public static let terminated = StandingReason("terminated")
    /// The app is not in service for another reason: see its status.
    public static let notInService = StandingReason("not_in_service")
    public static let banned = StandingReason("banned")
    public static let graceBanned = StandingReason("grace_banned")
    public static let withdrawalPending = StandingReason("withdrawal_pending")
}

/// What a player can do next. An open set.
public struct StandingAction: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let play = StandingAction("play")
    /// Come back after ``Standing/untilDate``.
    public static let wait = StandingAction("wait")
    public static let update = StandingAction("update")
    public static let contactSupport = StandingAction("contact_support")
    public static let cancelWithdrawal = StandingAction("cancel_withdrawal")
    /// Meet the conditions that release a grace ban.
    public static let settleGraceBan = StandingAction("settle_grace_ban")
    /// Map an identity provider, or issue a transfer account.
    public static let secureGuest = StandingAction("secure_guest")
}
