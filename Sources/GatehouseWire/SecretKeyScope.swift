/// What a game server may do with a secret key. A key has one or several; an app's own keys have all.
public enum SecretKeyScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// Learns whose an access token or a transfer account is, which tokens have ended, and whether the game is in service.
    case check
    /// Bans, releases, kicks out, registers grace bans, reports payments, and reads the histories of bans.
    case moderate
    /// Withdraws members, and reads the history of withdrawals.
    case erase
    /// Reads members: their mappings, devices and dates, and what their identity providers have told.
    case profile
}
