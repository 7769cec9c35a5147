/// A call that verifies an access token.
public struct ProviderCheck: Codable, Sendable, Hashable {
    public var call: ProviderCall
    /// The path of the person's id.
    public var subject: String?
    /// Whether that id is an integer; otherwise it is a string.
    public var subjectIsNumber: Bool?
    /// The path of the client to which the token was issued.
    public var audience: String?
    /// Paths of the token's remaining seconds. The first one that exists is used.
    public var secondsLeft: [String]?
    /// The path of the time of expiry, in seconds since 1970; 0 means never.
    public var expiresAt: String?
    /// The path of the profile; empty for the whole response.
    public var profile: String?

    public init(
        _ call: ProviderCall, subject: String? = nil, subjectIsNumber: Bool? = nil, audience: String? = nil,
        secondsLeft: [String]? = nil, expiresAt: String? = nil, profile: String? = nil
    ) {
        self.call = call
        self.subject = subject
        self.subjectIsNumber = subjectIsNumber
        self.audience = audience
        self.secondsLeft = secondsLeft
        self.expiresAt = expiresAt
        self.profile = profile
    }
}
