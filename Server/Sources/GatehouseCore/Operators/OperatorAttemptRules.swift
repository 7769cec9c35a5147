import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
