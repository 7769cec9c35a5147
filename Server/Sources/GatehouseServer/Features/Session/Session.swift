import GatehouseWire

/// One login on one device.
struct Session: Sendable, Hashable {
    let id: SessionID
    let app: AppID
    let user: UserID
    /// The identity provider that it was opened with.
    let provider: Provider
    /// The device's key that it is bound to (SES-2).
    let key: KeyThumbprint
    /// The member's generation at its opening: a later one has ended it.
    let generation: Int64
    let createdAt: Moment
    /// Its end if it is not used before.
    let idleExpiresAt: Moment
    /// Its end whatever happens.
    let expiresAt: Moment
    /// Why it ended, if it did.
    let end: SessionEnd?
    /// The link of the identity that it was opened with (``Account/links``): one that is removed and made again is another.
    var link: Int64 = 0
    /// The session that it takes the place of with its first use, if it has not been used.
    var replaces: SessionID?
}

/// Why a session ended. An open set: rows outlive versions.
struct SessionEnd: RawRepresentable, Sendable, Hashable {
    let rawValue: String

    static let loggedOut = SessionEnd(rawValue: ErrorReason.loggedOut.rawValue)
    /// A login by ticket took its place (MAP-7).
    static let replaced = SessionEnd(rawValue: ErrorReason.replaced.rawValue)
    /// The identity that it was opened with leads to its member no longer.
    static let identityRemoved = SessionEnd(rawValue: ErrorReason.identityRemoved.rawValue)
    /// The identity provider reports that the player has turned away there.
    static let consentRevoked = SessionEnd(rawValue: ErrorReason.consentRevoked.rawValue)
    /// A newer session of the member took its place.
    static let tooMany = SessionEnd(rawValue: ErrorReason.tooManySessions.rawValue)
}

/// How long sessions and their tokens live.
public struct SessionLifetimes: Sendable, Hashable {
    /// Of an access token.
    public var accessTokenSeconds: Int64
    /// Of a session that is not used.
    public var idleSeconds: Int64
    /// Of a session, however much it is used.
    public var maximumSeconds: Int64

    public init(
        accessTokenSeconds: Int64 = 3_600, idleSeconds: Int64 = 90 * 86_400, maximumSeconds: Int64 = 400 * 86_400
    ) {
        self.accessTokenSeconds = accessTokenSeconds
        self.idleSeconds = idleSeconds
        self.maximumSeconds = maximumSeconds
    }
}
