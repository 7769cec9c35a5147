/// What an app does when a provider reports that a person has revoked the consent or deleted the account there.
public struct SignalPolicy: Codable, Sendable, Hashable {
    public enum Action: String, Codable, Sendable, Hashable, CaseIterable {
        /// The report is only recorded in the ledger.
        case record
        /// The sessions that were opened with the provider end, and its stored tokens are deleted. The standing of other sessions
        /// reports it, so that the game can remove the mapping. The person may log in again.
        case endSessions = "end-sessions"
        /// The mapping is removed. A member without another identity withdraws, after the app's grace period.
        case remove
        /// The member withdraws at once, as with Gamebase.
        case withdraw
    }

    public var consentRevoked = Action.endSessions
    public var accountDeleted = Action.remove

    public init() {}
}
