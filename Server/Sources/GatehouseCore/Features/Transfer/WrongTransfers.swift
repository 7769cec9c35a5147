import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Limits the wrong passwords and wrong keys of an app, over all addresses, devices and nodes (TRF-2). Each address and each device
/// also has a separate limit, but attackers have many addresses, and devices cost nothing: only this limit can't be circumvented. Table
/// `wrong_transfers` has a row for each hour.
enum WrongTransfers {
    /// They are counted separately, so that an attack on keys doesn't lock accounts, or the reverse.
    enum Kind: String, Sendable {
        case account, key
    }

    /// Refuses another guess when this hour's limit is reached.
    static func requireRoom(_ kind: Kind, _ change: Change, in tx: Reader) throws {
        let limit = change.app.limits.wrongTransfersPerHour
        guard limit > 0 else { return }
        let hour = hour(of: change.moment)
        let guesses = try tx.first(
            """
            SELECT guesses FROM wrong_transfers
            WHERE app_id = \(change.app.id) AND kind = \(kind.rawValue) AND hour = \(hour)
            """
        ) { row in try row[0] as Int }
        guard let guesses, guesses >= limit else { return }
        let left = (hour + 1) * 3_600 - change.moment.milliseconds / 1_000
        throw Refusal.tooManyRequests(retryAfterSeconds: Int(clamping: max(1, left)))
    }

    static func count(_ kind: Kind, _ change: Change, in tx: Transaction) throws {
        guard change.app.limits.wrongTransfersPerHour > 0 else { return }
        try tx.execute(
            """
            INSERT INTO wrong_transfers (app_id, kind, hour, guesses)
            VALUES (\(change.app.id), \(kind.rawValue), \(hour(of: change.moment)), \(1))
            ON CONFLICT (app_id, kind, hour) DO UPDATE SET guesses = wrong_transfers.guesses + 1
            """)
    }

    private static func hour(of moment: Moment) -> Int64 { moment.milliseconds / 3_600_000 }
}
