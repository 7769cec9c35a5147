import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Counts a device's consecutive wrong ids and passwords of transfer accounts (TRANSFER-6). Table `transfer_attempts` has a row for
/// each device that has failed recently, identified by a keyed hash. This stops a person who tries one pair after another. An attacker
/// who makes a new key for each attempt circumvents it, but still meets the count of each account, and ``WrongTransfers``.
enum TransferAttempts {
    /// How long a device is remembered after its last failure, unless its block ends later.
    private static let keptSeconds: Int64 = 86_400

    private struct Stored {
        var failures = 0
        var firstAt: Moment
        var blockedUntil: Moment?
        var keptUntil: Moment
    }

    /// Counts an attempt of a device before its result is known. The last attempt that the policy allows begins the block; if it
    /// succeeds, it ends the block.
    ///
    /// - Parameter id: the id that the device has sent. A block's details contain it.
    /// - Throws: 3042 while the device is blocked.
    static func count(
        _ id: String, by key: KeyThumbprint, _ policy: TransferPolicy, _ change: Change, in tx: Transaction
    ) throws {
        let hash = hash(of: key, change)
        var device = try taken(hash, change, in: tx)
        if let end = device.blockedUntil, change.moment < end {
            throw TransferRules.blocked(
                TransferBlock(
                    accountId: id, failCount: device.failures, blockEndDate: end.milliseconds,
                    registrationDate: device.firstAt.milliseconds))
        }
        // The count starts from zero after a block or when it is too old.
        if device.blockedUntil != nil || device.keptUntil <= change.moment {
            device = Stored(firstAt: change.moment, keptUntil: change.moment)
        }
        device.failures += 1
        device.blockedUntil =
            device.failures >= policy.attempts ? change.moment.adding(seconds: policy.blockSeconds) : nil
        device.keptUntil = max(
            change.moment.adding(seconds: keptSeconds), device.blockedUntil ?? change.moment)
        try tx.execute(
            """
            UPDATE transfer_attempts SET failed_attempts = \(device.failures), first_at = \(device.firstAt),
                blocked_until = \(device.blockedUntil), kept_until = \(device.keptUntil)
            WHERE device_hash = \(hash) AND app_id = \(change.app.id)
            """)
    }

    private static func hash(of key: KeyThumbprint, _ change: Change) -> [UInt8] {
        change.vault.fingerprint(of: key.rawValue, for: .transferDevice(of: change.app.id))
    }

    /// Locks the device's row until the transaction ends, and creates it if it doesn't exist.
    private static func taken(_ hash: [UInt8], _ change: Change, in tx: Transaction) throws -> Stored {
        try tx.execute(
            """
            INSERT INTO transfer_attempts (app_id, device_hash, failed_attempts, first_at, kept_until)
            VALUES (\(change.app.id), \(hash), \(0), \(change.moment), \(change.moment.adding(seconds: keptSeconds)))
            ON CONFLICT (device_hash, app_id) DO UPDATE SET app_id = excluded.app_id
            """)
        let row = try tx.first(
            """
            SELECT failed_attempts, first_at, blocked_until, kept_until FROM transfer_attempts
            WHERE device_hash = \(hash) AND app_id = \(change.app.id)
            """
        ) { row in
            Stored(failures: try row[0], firstAt: try row[1], blockedUntil: try row[2], keptUntil: try row[3])
        }
        guard let row else { throw StorageError.conflict }
        return row
    }

    /// Resets a device's count after a correct id and password.
    static func succeed(_ key: KeyThumbprint, _ change: Change, in tx: Transaction) throws {
        try tx.execute(
            "DELETE FROM transfer_attempts WHERE device_hash = \(hash(of: key, change)) AND app_id = \(change.app.id)")
    }
}

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
