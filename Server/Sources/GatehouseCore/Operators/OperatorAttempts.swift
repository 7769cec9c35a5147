import GatehousePlatform
import GatehouseSecurity
import Synchronization

/// Counts attempts to sign in to the console, by name and by network, whether or not there is an operator of the name (CON-9). Attempts
/// are counted before the slow hash, so that many at once can't exceed the limit.
package final class OperatorAttempts: Sendable {
    private static let perAccount = 5
    private static let perNetwork = 20
    /// How long attempts are remembered, and a name or a network has to wait.
    private static let seconds: Int64 = 15 * 60

    /// Who makes an attempt.
    struct Attempt: Sendable {
        fileprivate let account: Key
        fileprivate let network: Key

        /// - Parameter browser: the id of a browser in which this name has signed in lately. It has a count of its own, so that nobody
        ///   locks an operator out by guessing at the name.
        init(name: String, browser: String?, address: String) {
            account = browser.map { Key.browser($0) } ?? Key.name(Array(name.utf8.prefix(64)))
            network = .network((ClientAddress(address) ?? .unknown).network)
        }
    }

    fileprivate enum Key: Hashable {
        case name([UInt8])
        case browser(String)
        case network(ClientAddress.Network)
    }

    private struct Count {
        var number = 0
        var until: Moment
    }

    private struct Generations {
        var young: [Key: Count] = [:]
        var old: [Key: Count] = [:]

        subscript(_ key: Key) -> Count? {
            get { young[key] ?? old[key] }
            set {
                young[key] = newValue
                old[key] = nil
            }
        }
    }

    /// The oldest counts are dropped, so a flood of networks takes no more memory than two generations.
    private let capacity: Int
    private let counts = Mutex(Generations())

    /// - Parameter capacity: of a generation.
    package init(capacity: Int = 25_000) {
        self.capacity = capacity
    }

    /// How many names, browsers and networks are remembered.
    var count: Int { counts.withLock { $0.young.count + $0.old.count } }

    /// Counts an attempt. Nil if it may be made; otherwise the seconds to wait.
    func take(_ attempt: Attempt, at moment: Moment) -> Int? {
        counts.withLock { counts in
            let keys = [(attempt.account, Self.perAccount), (attempt.network, Self.perNetwork)]
            for (key, limit) in keys {
                if let count = counts[key], count.number >= limit, moment < count.until {
                    return max(1, Int((count.until.milliseconds - moment.milliseconds + 999) / 1_000))
                }
            }
            if counts.young.count >= capacity { counts = Generations(old: counts.young) }
            for (key, _) in keys {
                var count = counts[key] ?? Count(until: moment)
                if count.until <= moment { count.number = 0 }
                count.number += 1
                count.until = moment.adding(seconds: Self.seconds)
                counts[key] = count
            }
            return nil
        }
    }

    /// Forgets the wrong attempts of a name, or of its browser, after a right one. Those of the network stay, or who has a name of their
    /// own could guess at others' for as long as they like.
    func succeed(_ attempt: Attempt) {
        counts.withLock { counts in
            counts[attempt.account] = nil
            if let count = counts[attempt.network] { counts[attempt.network]?.number = max(0, count.number - 1) }
        }
    }
}
