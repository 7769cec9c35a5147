public import GatehouseWire

/// Whether a player is signed in, as ``GatehouseClient/states`` reports it.
public enum AuthState: Sendable, Hashable {
    /// A session may be stored. ``GatehouseClient/logInWithLastProvider()`` finds out.
    case restoring
    /// The device's storage can't be read right now. This is not "signed out": try again when the device is unlocked.
    case locked
    /// Nobody is signed in.
    case signedOut(SignedOutReason)
    /// A player is signed in.
    case signedIn(Member)
    /// Signed in according to the device, but the server can't be reached.
    case offline(Member)
}

/// Why nobody is signed in.
public enum SignedOutReason: Sendable, Hashable {
    /// Nobody has signed in on this device, or not since the last logout.
    case noSession
    /// The player has logged out on this device.
    case loggedOut
    /// The session was ended by something other than the player's logout: a ban, a transfer, a withdrawal, an operator, or time.
    case sessionEnded(SessionNotice)
}

/// Why a session has ended, and what the player should read.
public struct SessionNotice: Sendable, Hashable {
    /// Why the session has ended.
    public let reason: ErrorReason
    /// A message in the player's language: the operator's own, or the server's default for a kick-out or a transfer.
    public let message: String?
    /// The ban that ended the session.
    public let ban: Ban?
    /// The identity provider whose report ended the session.
    public let provider: Provider?
    /// The code of the error that reported the end; nil when the game itself ended the session.
    package let code: ErrorCode?
    /// Whether the game has been told of this end before, at an earlier start for example.
    package internal(set) var wasTold = false

    /// Makes the value from its parts.
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
            message: error.details.message ?? error.ban?.message, ban: error.ban,
            provider: error.details.provider, code: error.code)
    }

    /// Two calls that meet the same end of a session report equal notices, so `code` is not compared.
    public static func == (one: SessionNotice, other: SessionNotice) -> Bool {
        one.reason == other.reason && one.message == other.message && one.ban == other.ban
            && one.provider == other.provider
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(message)
        hasher.combine(ban)
        hasher.combine(provider)
    }
}
