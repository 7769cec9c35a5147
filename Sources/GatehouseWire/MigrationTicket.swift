/// What a device gives to its game's own server with its old session, so that this server can bring it a player of another system.
public struct MigrationTicket: Codable, Sendable, Hashable {
    /// The ticket. It counts for one player.
    public var ticket: DeviceTicket
    /// When it ends, in milliseconds since 1970, UTC.
    public var expirationDate: Int64

    /// Makes the value from its parts.
    public init(ticket: DeviceTicket, expirationDate: Int64) {
        self.ticket = ticket
        self.expirationDate = expirationDate
    }
}

/// A ticket of a device: opaque, and good for five minutes.
public struct DeviceTicket: WireSecret {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}
