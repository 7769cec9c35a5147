/// What a game server may do with a secret key. A key has one or more scopes; an app's own keys have all.
public enum SecretKeyScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// Check access tokens and transfer accounts, fetch which tokens have ended, and read whether the game is in service.
    case check
    /// Ban, release and kick out members, register grace bans, report payments, and read the histories of bans.
    case moderate
    /// Withdraw members, and read the history of withdrawals.
    case erase
    /// Read members: their mappings, devices and dates, and what their identity providers have reported.
    case profile
}
