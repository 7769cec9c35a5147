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
    /// The server has ended the session, for this reason.
    case sessionEnded(ErrorReason)
}
