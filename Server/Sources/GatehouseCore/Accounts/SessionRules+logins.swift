import GatehouseStorage
import GatehouseWire

extension SessionRules {
    /// A member's live sessions that a login with a provider has opened, or that have stored the provider's tokens, except those
    /// continued since by a login with the last provider (LOGIN-9).
    static func sessions(
        of account: Account, loggedInWith provider: Provider, orBy kept: IdentityTokenQueries.Kept, _ view: Viewpoint,
        in tx: Reader
    ) throws -> [Session] {
        guard !account.hasWithdrawn(at: view.moment), !account.isBanned(at: view.moment) else { return [] }
        return try SessionQueries.live(of: account, loggedInWith: provider, orBy: kept, in: tx)
            .filter { lives($0, account, view) }
    }
}

extension SessionQueries {
    /// A limited number of sessions, newest first.
    fileprivate static func live(
        of account: Account, loggedInWith provider: Provider, orBy kept: IdentityTokenQueries.Kept, in tx: Reader
    ) throws -> [Session] {
        try tx.rows(
            """
            SELECT \(columns) FROM sessions s
            WHERE s.user_id = \(account.user) AND s.app_id = \(account.app) AND s.ended_at IS NULL
                AND s.generation = \(account.generation)
                AND (s.idp = \(provider) AND s.resumed_at IS NULL
                    OR s.session_id = \(kept.session) AND (s.resumed_at IS NULL OR s.resumed_at < \(kept.updatedAt)))
            ORDER BY s.session_id DESC LIMIT 1000
            """
        ) { row in
            var columns = row.columns
            return try session(of: &columns)
        }
    }
}
