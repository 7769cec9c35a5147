import GatehouseStorage
import GatehouseWire

/// Wrong ids and wrong passwords of transfer accounts, of one device in a row (TRANSFER-6). Table `transfer_attempts`, a row for
/// each device that has failed lately, which is named by a keyed hash. It stops a person who tries one pair after another. Whoever makes a new key for each
/// attempt gets around it, and meets the count of each account, and ``WrongTransfers``.
enum TransferAttempts {
    /// A device that has failed and tries no more is forgotten after this time, or with the end of its block if that is later.
    private static let keptSeconds: Int64 = 86_400

    private struct Stored {
        var failures = 0
        var firstAt: Moment
        var blockedUntil: Moment?
        var keptUntil: Moment
    }

    /// Counts an attempt of a device before anyone knows whether it is right. The attempt that the policy allows last begins the
    /// block: if it is right, it ends it.
    ///
    /// - Parameter id: what the device asks for, which its block is told with.
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
        // A block that is over gives all attempts anew, and so does a count that nobody needs any more.
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

    /// The device's row, which nobody else changes until the transaction ends. One that is not there is made.
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
        guard let row else { throw TransactionConflict() }
        return row
    }

    /// The device came with a right id and its password: what it had tried before counts no more.
    static func succeed(_ key: KeyThumbprint, _ change: Change, in tx: Transaction) throws {
        try tx.execute(
            "DELETE FROM transfer_attempts WHERE device_hash = \(hash(of: key, change)) AND app_id = \(change.app.id)")
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM transfer_attempts WHERE (device_hash, app_id) IN (
                SELECT device_hash, app_id FROM transfer_attempts WHERE kept_until < \(moment)
                ORDER BY kept_until LIMIT \(limit))
            """)
    }
}
