/// Exchanges what another sign-in system has left on a device for the player's account here.
public struct MigrationRequest: Codable, Sendable, Hashable {
    /// The name that the operator has given to the old system.
    public var source: String
    /// What the old system has left on the device.
    public var credential: LegacyCredential
    /// Whether the player's account may take the place of a guest who is at most 30 days old. An operator can restore that guest for a
    /// limited time.
    public var replaceGuest: Bool?

    /// Makes the value from its parts.
    public init(source: String, credential: LegacyCredential, replaceGuest: Bool? = nil) {
        self.source = source
        self.credential = credential
        self.replaceGuest = replaceGuest
    }
}

/// What another sign-in system has left on a device.
public struct LegacyCredential: Codable, Sendable, Hashable {
    /// What a credential is. Which kinds count depends on the old system.
    public struct Kind: WireIdentifier {
        /// The value on the wire.
        public let rawValue: String
        /// Wraps a value of the wire.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An ID token: of Firebase, Epic Online Services, Cognito, or another OpenID Connect issuer.
        public static let idToken = Kind("idToken")
        /// An access token: of Supabase, Unity, Gamebase, or another Gatehouse. Gamebase's needs the user id beside it.
        public static let accessToken = Kind("accessToken")
        /// A refresh token of Firebase.
        public static let refreshToken = Kind("refreshToken")
        /// A session token of Nakama.
        public static let sessionToken = Kind("sessionToken")
        /// A session ticket of PlayFab.
        public static let sessionTicket = Kind("sessionTicket")
        /// An entity token of PlayFab.
        public static let entityToken = Kind("entityToken")
        /// A transfer account of Gamebase: its id, and its password as the value.
        public static let transferAccount = Kind("transferAccount")
        /// The id of the device in the old system.
        public static let deviceID = Kind("deviceId")
        /// An id that the game has made for the player.
        public static let customID = Kind("customId")
        /// The id of a guest in the old system.
        public static let guestID = Kind("guestId")
    }

    /// What it is.
    public var kind: Kind
    /// The credential itself.
    public var value: ProviderToken
    /// The user id beside an access token of Gamebase, or the id of a transfer account.
    public var id: String?

    /// Makes the value from its parts.
    public init(kind: Kind, value: ProviderToken, id: String? = nil) {
        self.kind = kind
        self.value = value
        self.id = id
    }
}

/// Which player of another system a login has brought.
public struct LegacyMigration: Codable, Sendable, Hashable {
    /// The name that the operator has given to the old system.
    public var source: String
    /// The player's id there.
    public var legacyId: String
    /// Whether this login is the one that has brought the player.
    public var first: Bool

    /// Makes the value from its parts.
    public init(source: String, legacyId: String, first: Bool) {
        self.source = source
        self.legacyId = legacyId
        self.first = first
    }
}

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
