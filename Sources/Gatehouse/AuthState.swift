public import GatehouseWire

/// Where the player stands, as ``Gatehouse/states`` reports it.
public enum AuthState: Sendable, Hashable {
    /// A session may be stored: ``Gatehouse/logInWithLastProvider()`` will tell.
    case restoring
    /// The device's storage can't be read right now. That is not "signed out": try again when the device is unlocked.
    case locked
    case signedOut(SignedOutReason)
    case signedIn(Member)
    /// Signed in, as far as the device knows: the server can't be reached.
    case offline(Member)
}

/// Why nobody is signed in.
public enum SignedOutReason: Sendable, Hashable {
    /// Nobody has signed in on this device, or not since the last logout.
    case noSession
    case loggedOut
    /// The session is over by another's doing: a ban, a transfer, a withdrawal, an operator, time.
    case sessionEnded(SessionNotice)
}

/// Why a session has ended, and what the player should read.
public struct SessionNotice: Sendable, Hashable {
    public let reason: ErrorReason
    /// In the player's language, where an operator has written something.
    public let message: String?
    /// The ban that has ended it.
    public let ban: Ban?
    /// The identity provider whose report has ended it.
    public let provider: Provider?

    public init(reason: ErrorReason, message: String? = nil, ban: Ban? = nil, provider: Provider? = nil) {
        self.reason = reason
        self.message = message
        self.ban = ban
        self.provider = provider
    }

    init(_ error: AuthError) {
        self.init(
            reason: error.reason ?? (error.code == .bannedMember ? .banned : .sessionUnknown),
            message: error.details[ErrorDetail.message]?.stringValue ?? error.ban?.message, ban: error.ban,
            provider: error.details[ErrorDetail.provider]?.stringValue.map { Provider($0) })
    }
}
