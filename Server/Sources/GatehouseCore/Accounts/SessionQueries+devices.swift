import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Which members have been logged in on which devices, as far as their sessions are kept. A device is named by its key.
extension SessionQueries {
    /// The devices of a member, that of the last use first.
    static func devices(
        of user: UserID, app: AppID, limit: Int, in tx: Reader
    ) throws -> [(key: KeyThumbprint, usedAt: Moment)] {
        try tx.rows(
            """
            SELECT key_thumbprint, MAX(last_used_at) FROM sessions WHERE user_id = \(user) AND app_id = \(app)
            GROUP BY key_thumbprint ORDER BY 2 DESC, 1 LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// The members who have logged in on a device with an identity provider, the last one first. The guest of a device is known by its
    /// identity. The condition must match the one in the definition of the index.
    static func members(
        ofDevice key: KeyThumbprint, app: AppID, limit: Int, in tx: Reader
    ) throws -> [(user: UserID, usedAt: Moment)] {
        try tx.rows(
            """
            SELECT user_id, MAX(last_used_at) FROM sessions
            WHERE key_thumbprint = \(key) AND idp <> 'guest' AND app_id = \(app)
            GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// What a device has said of itself at a member's last login on it.
    static func client(of user: UserID, on key: KeyThumbprint, app: AppID, in tx: Reader) throws -> String? {
        try tx.first(
            """
            SELECT client FROM sessions WHERE user_id = \(user) AND app_id = \(app) AND key_thumbprint = \(key)
            ORDER BY session_id DESC LIMIT 1
            """
        ) { row in try row[0] as String? } ?? nil
    }
}
