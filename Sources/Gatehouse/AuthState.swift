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
    /// In the player's language: what an operator has written, or what the server says of a kick-out or a transfer by itself.
    public let message: String?
    /// The ban that has ended it.
    public let ban: Ban?
    /// The identity provider whose report has ended it.
    public let provider: Provider?
    /// The error that it came with; nil for an end that the game has brought about.
    package let code: ErrorCode?
    /// Whether the game has been told of this end before, at an earlier start for example.
    package internal(set) var wasTold = false

    public init(reason: ErrorReason, message: String? = nil, ban: Ban? = nil, provider: Provider? = nil) {
        self.init(reason: reason, message: message, ban: ban, provider: provider, code: nil)
    }

    private init(reason: ErrorReason, message: String?, ban: Ban?, provider: Provider?, code: ErrorCode?) {
        self.reason = reason
        self.message = message
        self.ban = ban
        self.provider = provider
        self.code = code
    }

    init(_ error: AuthError) {
        self.init(
            reason: error.reason ?? (error.code == .bannedMember ? .banned : .sessionUnknown),
            message: error.details[ErrorDetail.message]?.stringValue ?? error.ban?.message, ban: error.ban,
            provider: error.details[ErrorDetail.provider]?.stringValue.map { Provider($0) }, code: error.code)
    }

    /// The same end is the same notice, whichever call has met it.
    public static func == (one: SessionNotice, other: SessionNotice) -> Bool {
        one.reason == other.reason && one.message == other.message && one.ban == other.ban
            && one.provider == other.provider
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(message)
        hasher.combine(ban)
        hasher.combine(provider)
    }
}
