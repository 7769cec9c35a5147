/// The result of a successful login (LOGIN-11).
public struct Login: Codable, Sendable, Hashable {
    public var member: Member
    /// The identity provider with which this session was opened.
    public var provider: Provider
    public var session: SessionTokens
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

    public init(
        member: Member, provider: Provider, session: SessionTokens, standing: Standing, serverDate: Int64
    ) {
        self.member = member
        self.provider = provider
        self.session = session
        self.standing = standing
        self.serverDate = serverDate
    }
}
