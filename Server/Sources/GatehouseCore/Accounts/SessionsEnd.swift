import GatehouseWire

/// Why all sessions of a member ended.
struct SessionsEnd: Sendable, Hashable {
    let reason: ErrorReason
    /// The message to players, by language.
    var message: LocalizedText?
}
