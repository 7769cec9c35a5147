import GatehouseSecurity
import Synchronization

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
