import GatehouseSecurity
import GatehouseWire

/// One login on one device.
struct Session: Sendable, Hashable {
    let id: SessionID
    let app: AppID
    let user: UserID
    /// The identity provider with which it was opened.
    let provider: Provider
    /// The device's key to which it is bound (SES-2).
    let key: KeyThumbprint
    /// The member's generation at its opening. A later generation has ended the session.
    let generation: Int64
    let createdAt: Moment
    /// Its end unless it is used before.
    let idleExpiresAt: Moment
    /// Its latest possible end.
    let expiresAt: Moment
    /// Why it ended; nil if it has not.
    let end: SessionEnd?
    /// The link of the identity with which it was opened (``Account/links``). An identity that is removed and mapped again has another
    /// link.
    var link: Int64 = 0
    /// The session that it replaces with its first use; nil after that.
    var replaces: SessionID?
    /// Where the device's key is, as the device says; nil if it has said nothing.
    var keyProtection: KeyProtection?
}

/// Why a session ended. An open set, because rows outlive versions.
struct SessionEnd: RawRepresentable, Sendable, Hashable {
    let rawValue: String

    static let loggedOut = SessionEnd(rawValue: ErrorReason.loggedOut.rawValue)
    /// A login by ticket replaced it (MAP-7).
    static let replaced = SessionEnd(rawValue: ErrorReason.replaced.rawValue)
    /// The identity with which it was opened no longer belongs to its member.
    static let identityRemoved = SessionEnd(rawValue: ErrorReason.identityRemoved.rawValue)
    /// The identity provider reports that the player has revoked the consent there.
    static let consentRevoked = SessionEnd(rawValue: ErrorReason.consentRevoked.rawValue)
    /// The player ended it on another device.
    static let endedElsewhere = SessionEnd(rawValue: ErrorReason.endedElsewhere.rawValue)
    /// An operator or a game server ended it, and no other session of the member.
    static let kickedOut = SessionEnd(rawValue: ErrorReason.kickedOut.rawValue)
    /// A newer session of the member replaced it.
    static let tooMany = SessionEnd(rawValue: ErrorReason.tooManySessions.rawValue)
}

/// The lifetimes of sessions and their tokens.
public struct SessionLifetimes: Sendable, Hashable {
    /// The lifetime of an access token.
    public var accessTokenSeconds: Int64
    /// The lifetime of an unused session.
    public var idleSeconds: Int64
    /// The maximum lifetime of a session, regardless of its use.
    public var maximumSeconds: Int64

    public init(
        accessTokenSeconds: Int64 = 3_600, idleSeconds: Int64 = 90 * 86_400, maximumSeconds: Int64 = 400 * 86_400
    ) {
        self.accessTokenSeconds = accessTokenSeconds
        self.idleSeconds = idleSeconds
        self.maximumSeconds = maximumSeconds
    }
}
