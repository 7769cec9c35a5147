import GatehouseSecurity

/// What support copies into an answer to a player, in several languages. `{user}` and `{end}` stand for the player's id and for the end of
/// the player's ban.
package struct Reply: Sendable, Hashable {
    package let id: Int
    /// What operators call it.
    package let title: String
    package let texts: LocalizedText

    /// Upper bound on an app's replies.
    package static let maximum = 50
}
