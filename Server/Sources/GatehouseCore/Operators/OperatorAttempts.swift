import GatehouseSecurity
import Synchronization

/// Counts attempts to sign in to the console, by name and by address, whether or not there is an operator of the name (CON-9). Attempts
/// are counted before the slow hash, so that many at once can't exceed the limit.
package final class OperatorAttempts: Sendable {
    private static let perName = 5
    private static let perAddress = 20
    /// How long attempts are remembered, and a name or an address has to wait.
    private static let seconds: Int64 = 15 * 60
    private static let capacity = 50_000

    private struct Count {
        var number = 0
        var until: Moment
    }

    private let counts = Mutex<[String: Count]>([:])

    package init() {}

    /// Counts an attempt. Nil if it may be made; otherwise the seconds to wait.
    func take(name: String, address: String, at moment: Moment) -> Int? {
        counts.withLock { counts in
            if counts.count >= Self.capacity { counts = counts.filter { moment < $0.value.until } }
            let keys = Self.keys(name, address)
            for (key, limit) in keys {
                if let count = counts[key], count.number >= limit, moment < count.until {
                    return max(1, Int((count.until.milliseconds - moment.milliseconds + 999) / 1_000))
                }
            }
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

    /// Forgets the attempts of a name and an address, after a right one.
    func forget(name: String, address: String) {
        counts.withLock { counts in
            for (key, _) in Self.keys(name, address) { counts[key] = nil }
        }
    }

    private static func keys(_ name: String, _ address: String) -> [(String, Int)] {
        [("name \(name.prefix(64))", perName), ("address \(address)", perAddress)]
    }
}
