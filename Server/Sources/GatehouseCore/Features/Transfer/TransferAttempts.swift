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
