import GatehouseSecurity
import GatehouseStorage

/// Table `operator_attempts`.
enum OperatorAttemptQueries {
    /// Counts an attempt of a party, from one again if the earlier ones are over.
    ///
    /// - Parameter end: until when it is remembered.
    /// - Returns: false, without a count, if there are as many as the limit.
    static func count(
        _ hash: [UInt8], limit: Int, at moment: Moment, until end: Moment, in tx: Transaction
    ) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO operator_attempts (party_hash, attempts, kept_until) VALUES (\(hash), 1, \(end))
            ON CONFLICT (party_hash) DO UPDATE SET
                attempts = CASE WHEN operator_attempts.kept_until <= \(moment) THEN 1
                    ELSE operator_attempts.attempts + 1 END,
                kept_until = excluded.kept_until
            WHERE operator_attempts.attempts < \(limit) OR operator_attempts.kept_until <= \(moment)
            """) == 1
    }

    /// The end of the time in which a party's attempts are remembered; nil if there are none.
    static func end(of hash: [UInt8], in tx: Reader) throws -> Moment? {
        try tx.first("SELECT kept_until FROM operator_attempts WHERE party_hash = \(hash)") { row in try row[0] }
    }

    static func delete(_ hash: [UInt8], in tx: Transaction) throws {
        try tx.execute("DELETE FROM operator_attempts WHERE party_hash = \(hash)")
    }

    /// Takes back one attempt.
    static func takeBack(_ hash: [UInt8], in tx: Transaction) throws {
        try tx.execute(
            "UPDATE operator_attempts SET attempts = attempts - 1 WHERE party_hash = \(hash) AND attempts > 0")
    }
}
