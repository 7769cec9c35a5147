import Synchronization

/// Remembers this process's proofs for as long as they could be used again, in two generations of one window each. So memory is limited
/// by the rate of calls, and no clean-up stops all calls.
///
/// The proof of a changing call is also claimed in the database (``ProofQueries``), in the change's transaction, which makes it
/// single-use over all nodes and restarts.
package final class ReplayGuard: Sendable {
    private struct Generations {
        var current: Set<UInt64> = []
        var previous: Set<UInt64> = []
        var turnsAt: Int64
    }

    private let windowMilliseconds = (ProofVerifier.pastSeconds + ProofVerifier.futureSeconds) * 1_000
    private let generations: Mutex<Generations>

    package init() {
        generations = Mutex(Generations(turnsAt: .min))
    }

    /// False when the proof was claimed before. Only 64 bits of its hash are kept: a collision costs one retry.
    package func claim(_ proof: Proof, at moment: Moment) -> Bool {
        let key = proof.id.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return generations.withLock { generations in
            if moment.milliseconds >= generations.turnsAt {
                let isOneTurn = moment.milliseconds < generations.turnsAt.addingReportingOverflow(windowMilliseconds).0
                generations.previous = isOneTurn ? generations.current : []
                generations.current = []
                generations.turnsAt = moment.milliseconds + windowMilliseconds
            }
            guard !generations.previous.contains(key) else { return false }
            return generations.current.insert(key).inserted
        }
    }
}
