import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Limits the ids of devices that are tried without anything else to show for them: in an hour of one device, of one network, and of
/// all. Table `legacy_attempts` has a row for each, and each node counts there. An attempt is counted before the id is looked for, and
/// taken back when it was right.
enum LegacyAttempts {
    private struct Party {
        let hash: [UInt8]
        let limit: Int
    }

    /// How many attempts of an app in an hour an operator is told of.
    static let alarm = perApp / 10
    static let perDevice = 10
    static let perNetwork = 60
    static let perApp = 3_000

    /// Counts an attempt.
    ///
    /// - Returns: whether as many have come in this hour as an operator should know of.
    /// - Throws: 8001 with status 429 when a limit is reached.
    static func count(
        by key: KeyThumbprint, from address: ClientAddress, _ change: Change, in tx: Transaction
    ) throws -> Bool {
        let hour = hour(of: change.moment)
        var tries = 0
        for party in parties(key, address, change) {
            try tx.execute(
                """
                INSERT INTO legacy_attempts (app_id, party_hash, hour, tries)
                VALUES (\(change.app.id), \(party.hash), \(hour), \(1))
                ON CONFLICT (party_hash, hour, app_id) DO UPDATE SET tries = legacy_attempts.tries + 1
                """)
            tries =
                try tx.first(
                    """
                    SELECT tries FROM legacy_attempts
                    WHERE party_hash = \(party.hash) AND hour = \(hour) AND app_id = \(change.app.id)
                    """
                ) { row in try row[0] } ?? 0
            guard tries <= party.limit else {
                let left = (hour + 1) * 3_600 - change.moment.milliseconds / 1_000
                throw Refusal.tooManyRequests(retryAfterSeconds: Int(clamping: max(1, left)))
            }
        }
        return tries == alarm
    }

    /// Takes back an attempt that was right.
    static func takeBack(
        by key: KeyThumbprint, from address: ClientAddress, _ change: Change, in tx: Transaction
    ) throws {
        for party in parties(key, address, change) {
            try tx.execute(
                """
                UPDATE legacy_attempts SET tries = tries - 1
                WHERE party_hash = \(party.hash) AND hour = \(hour(of: change.moment)) AND app_id = \(change.app.id)
                    AND tries > 0
                """)
        }
    }

    /// The parties in the order in which their rows are locked, the app's at last.
    private static func parties(_ key: KeyThumbprint, _ address: ClientAddress, _ change: Change) -> [Party] {
        let network = address.bytes.prefix(address.bytes.count == 16 ? 8 : 3)
        let names = [
            ("device \(key)", perDevice), ("network \(Base64URL.encode(network))", perNetwork), ("app", perApp),
        ]
        return names.map { name, limit in
            Party(hash: change.vault.fingerprint(of: name, for: .legacyParty(of: change.app.id)), limit: limit)
        }
    }

    private static func hour(of moment: Moment) -> Int64 { moment.milliseconds / 3_600_000 }
}
