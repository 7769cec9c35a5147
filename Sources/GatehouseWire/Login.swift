/// The result of a successful login (LOGIN-11).
public struct Login: Codable, Sendable, Hashable {
    /// The member who is logged in.
    public var member: Member
    /// The identity provider with which this session was opened.
    public var provider: Provider
    /// The session's tokens.
    public var session: SessionTokens
    /// What the member may do now.
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64
    /// Which player of another system this login has brought; nil for every other login.
    public var migrated: LegacyMigration?

    /// Makes the value from its parts.
    public init(
        member: Member, provider: Provider, session: SessionTokens, standing: Standing, serverDate: Int64,
        migrated: LegacyMigration? = nil
    ) {
        self.member = member
        self.provider = provider
        self.session = session
        self.standing = standing
        self.serverDate = serverDate
        self.migrated = migrated
    }
}
