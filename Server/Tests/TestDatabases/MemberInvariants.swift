public import GatehouseStorage

/// What is never true of members, identities and sessions, whatever happens at once (I2 to I4 and I8 of the security requirements).
public enum MemberInvariants {
    /// Statements, each of which counts the violations of an invariant.
    public static let violations: [SQL] = [
        // A member with a guest identity has no other identity.
        """
        SELECT COUNT(*) FROM identities g JOIN identities o ON o.user_id = g.user_id AND o.app_id = g.app_id
        WHERE g.idp = 'guest' AND o.idp <> 'guest'
        """,
        // Sessions that a guest identity has opened have ended when the member has mapped another.
        """
        SELECT COUNT(*) FROM sessions s JOIN members m ON m.user_id = s.user_id AND m.app_id = s.app_id
        WHERE s.idp = 'guest' AND s.ended_at IS NULL AND s.generation = m.generation AND NOT EXISTS (
            SELECT 1 FROM identities i WHERE i.user_id = s.user_id AND i.app_id = s.app_id AND i.idp = 'guest')
        """,
        // Only withdrawn and missing members have no identity, and imported ones whom no device has claimed.
        """
        SELECT COUNT(*) FROM members m WHERE m.status NOT IN ('D', 'M') AND NOT EXISTS (
            SELECT 1 FROM identities i WHERE i.user_id = m.user_id AND i.app_id = m.app_id) AND NOT EXISTS (
            SELECT 1 FROM legacy_members l
            WHERE l.user_id = m.user_id AND l.app_id = m.app_id AND l.claimed_key IS NULL)
        """,
        """
        SELECT COUNT(*) FROM members m JOIN identities i ON i.user_id = m.user_id AND i.app_id = m.app_id
        WHERE m.status IN ('D', 'M')
        """,
        // A withdrawn member has no open session.
        """
        SELECT COUNT(*) FROM members m JOIN sessions s ON s.user_id = m.user_id AND s.app_id = m.app_id
        WHERE m.status = 'D' AND s.ended_at IS NULL AND s.generation = m.generation
        """,
    ]
}
