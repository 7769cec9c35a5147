public import GatehouseWire

/// The result of a restoration.
public struct Restoration: Sendable, Hashable {
    /// The identity provider of the restored identity.
    public let provider: Provider
    /// The member that had the identity.
    public let other: UserID?
    public let outcome: Other?

    /// What happened to the member that had the identity.
    public enum Other: String, Sendable, Hashable {
        case keepsOthers = "keeps its other identities"
        case isGuestAgain = "is a guest again, as before"
        case isFrozen = "has none left and is frozen: it can be restored in turn"
    }
}
