import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization

/// Limits the attempts to sign in to the console, by name and by network, whether or not there is an operator of the name (CON-9). They
/// are counted in the database, so that several nodes give no more of them than one, and before the slow hash, so that many at once
/// can't exceed the limit.
enum OperatorAttemptRules {
    static let perAccount = 5
    static let perNetwork = 20
    /// How long attempts are remembered, and a name or a network has to wait.
    private static let seconds: Int64 = 15 * 60

    /// Who makes an attempt, as two texts that differ for every name, browser and network.
    struct Attempt: Sendable {
        let account: String
        let network: String

        /// - Parameter browser: the id of a browser in which this name has signed in lately. It has a count of its own, so that nobody
        ///   locks an operator out by guessing at the name.
        init(name: String, browser: String?, address: String) {
            let name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
            account = browser.map { "browser \($0)" } ?? "name \(name)"
            network = "network \(Base64URL.encode((ClientAddress(address) ?? .unknown).network.bytes))"
        }
    }

    /// An attempt that may not be made.
    struct TooMany: Error {
        /// The name, browser or network that has made too many.
        let party: String
        let until: Moment
    }

    /// Counts an attempt.
    ///
    /// - Throws: ``TooMany``, which takes the count back with its transaction.
    static func take(_ attempt: Attempt, vault: KeyVault, at moment: Moment, in tx: Transaction) throws {
        // The rows are locked in this order everywhere.
        for (party, limit) in [(attempt.account, perAccount), (attempt.network, perNetwork)] {
            let hash = hash(of: party, vault)
            let end = moment.adding(seconds: seconds)
            guard try OperatorAttemptQueries.count(hash, limit: limit, at: moment, until: end, in: tx) else {
                throw TooMany(party: party, until: try OperatorAttemptQueries.end(of: hash, in: tx) ?? end)
            }
        }
    }

    /// Forgets the wrong attempts of a name, or of its browser, after a right one. Those of the network stay, or who has a name of their
    /// own could guess at others' for as long as they like.
    static func succeed(_ attempt: Attempt, vault: KeyVault, in tx: Transaction) throws {
        try OperatorAttemptQueries.delete(hash(of: attempt.account, vault), in: tx)
        try OperatorAttemptQueries.takeBack(hash(of: attempt.network, vault), in: tx)
    }

    private static func hash(of party: String, _ vault: KeyVault) -> [UInt8] {
        vault.fingerprint(of: party, for: .operatorAttempt)
    }
}

/// Who has made too many attempts to sign in to the console, as this node has learned from the database (``OperatorAttemptRules``). Until
/// their time is over they are refused without asking again, so that a flood of attempts costs the database nothing.
package final class OperatorAttempts: Sendable {
    private struct Generations {
        var young: [String: Moment] = [:]
        var old: [String: Moment] = [:]
    }

    /// The oldest parties are dropped, so a flood of networks takes no more memory than two generations.
    private let capacity: Int
    private let ends = Mutex(Generations())

    /// - Parameter capacity: of a generation.
    package init(capacity: Int = 25_000) {
        self.capacity = capacity
    }

    /// How many names, browsers and networks are remembered.
    var count: Int { ends.withLock { $0.young.count + $0.old.count } }

    /// Why an attempt may not be made; nil if the database has to be asked.
    func refusal(of attempt: OperatorAttemptRules.Attempt, at moment: Moment) -> OperatorAttemptRules.TooMany? {
        ends.withLock { ends in
            for party in [attempt.account, attempt.network] {
                guard let end = ends.young[party] ?? ends.old[party], moment < end else { continue }
                return OperatorAttemptRules.TooMany(party: party, until: end)
            }
            return nil
        }
    }

    func remember(_ refused: OperatorAttemptRules.TooMany) {
        ends.withLock { ends in
            if ends.young.count >= capacity { ends = Generations(old: ends.young) }
            ends.young[refused.party] = refused.until
        }
    }
}

extension OperatorAttemptRules.TooMany {
    func refusal(at moment: Moment) -> Refusal {
        .tooManyRequests(retryAfterSeconds: max(1, Int((until.milliseconds - moment.milliseconds + 999) / 1_000)))
    }
}

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
