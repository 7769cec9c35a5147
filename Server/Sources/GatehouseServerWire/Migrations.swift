public import GatehouseWire

/// A game server brings a player of another system to a device, because it has checked the player's old session.
public struct MigrationConfirmation: Codable, Sendable, Hashable {
    /// The name that the operator has given to the old system.
    public var source: String
    /// The player's id there, of 1 to 256 bytes.
    public var legacyId: String
    /// What the device has got for this, and has sent with its old session: ``GatehouseWire/MigrationTicket/ticket``.
    public var deviceTicket: DeviceTicket
    /// Whether the player's account may take the place of a guest on the device who is at most 30 days old.
    public var replaceGuest: Bool?

    /// Makes the request from its parts.
    public init(source: String, legacyId: String, deviceTicket: DeviceTicket, replaceGuest: Bool? = nil) {
        self.source = source
        self.legacyId = legacyId
        self.deviceTicket = deviceTicket
        self.replaceGuest = replaceGuest
    }
}

/// The player whom a device has now.
public struct ConfirmedMigration: Codable, Sendable, Hashable {
    /// The member.
    public var userId: UserID
    /// The player's id in the old system.
    public var legacyId: String
    /// Whether no device has had the player before.
    public var first: Bool

    /// Makes the answer from its parts.
    public init(userId: UserID, legacyId: String, first: Bool) {
        self.userId = userId
        self.legacyId = legacyId
        self.first = first
    }
}

/// A game server asks which members have come from another system, by their ids there or by those here.
public struct MigrationLookupRequest: Codable, Sendable, Hashable {
    /// The name that the operator has given to the old system.
    public var source: String
    /// Up to 300 ids there; nil if the call has ``userIds``.
    public var legacyIds: [String]?
    /// Up to 300 members; nil if the call has ``legacyIds``.
    public var userIds: [UserID]?

    /// Makes the request from its parts.
    public init(source: String, legacyIds: [String]? = nil, userIds: [UserID]? = nil) {
        self.source = source
        self.legacyIds = legacyIds
        self.userIds = userIds
    }
}

/// Members who have come from another system, in no particular order. Ids that lead to nobody are left out.
public struct MigrationLookup: Codable, Sendable, Hashable {
    /// One of them.
    public struct Entry: Codable, Sendable, Hashable {
        /// The player's id in the old system.
        public var legacyId: String
        /// The member.
        public var userId: UserID
        /// When a device has claimed the player, in milliseconds since 1970, UTC; nil for one who has not come back yet.
        public var claimDate: Int64?

        /// Makes the value from its parts.
        public init(legacyId: String, userId: UserID, claimDate: Int64?) {
            self.legacyId = legacyId
            self.userId = userId
            self.claimDate = claimDate
        }
    }

    /// The members.
    public var members: [Entry]

    /// Makes the answer from its parts.
    public init(members: [Entry]) {
        self.members = members
    }
}
